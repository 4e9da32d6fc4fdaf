// `bnerd chat` at a terminal: the prompt, a confirmation in the form of a run, Ctrl-C.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { startBnerd } from '../helpers/bnerd.js';
import { farSide } from '../helpers/provider-team.js';
import { hasTerminal, Terminal } from '../helpers/terminal.js';
import { until } from '../helpers/until.js';
import { type Chatting, chatting, wayTo } from './chatting.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

const CONFIRM = `

  ─── CONFIRM ────────────────────────────────────────────────
  code wants to run:  echo written > made
  context: r1 · I need a file.
  Approve? [y/N/explain]: `;

async function terminal(
  at: Chatting,
  turns: readonly unknown[],
  words: readonly string[] = [],
): Promise<Terminal> {
  const script = { script: 1, roles: { code: { turns } } };
  await writeFile(join(at.repository, 'talk.yaml'), stringify(script));
  const all = ['chat', '--mode', 'code', '--model', 'script/talk.yaml', ...words];
  return new Terminal(all, { place: at.place, cwd: at.repository });
}

const WRITES = {
  steps: [
    { text: 'I need a file.', calls: [{ tool: 'shell_exec', args: { command: 'echo written > made' } }] },
    { capture: { said: '(denied, not run[^\\n]*|exit \\d+|exit code \\d+)' }, text: 'it said: {{said}}' },
  ],
};

// Registered only where there is a terminal to be had: nothing is ever skipped.
if (hasTerminal()) {
  describe('at a terminal', () => {
    test('a line is asked for, answered, and the end of the input ends the chat with what was used', async () => {
      const at = await chatting();
      const screen = await terminal(at, [{ steps: [{ text: 'hello to you' }] }]);
      await screen.shows('code · script/talk.yaml · /help lists the commands\n> ');
      screen.type('hello\n');
      await screen.shows('hello to you\n> ');
      screen.type(CTRL_D);
      await screen.shows('1 message, 1 model call, ');
      expect(await screen.ended).toBe(0);
    });

    test('a confirmation has the form it has in a run; y approves exactly that', async () => {
      const at = await chatting();
      const screen = await terminal(at, [WRITES]);
      await screen.shows('> ');
      screen.type('write it\n');
      await screen.shows(CONFIRM);
      screen.type('perhaps\n');
      await screen.shows('  write y, n or explain\n  Approve? [y/N/explain]: ');
      screen.type('explain\n');
      await screen.shows(
        '  request: r1\n  tool: shell_exec\n  class: write\n  policy: write shell_exec: confirmation needed\n',
      );
      await screen.shows('  Approve? [y/N/explain]: ');
      screen.type('y\n');
      await screen.shows('it said: exit');
      await screen.shows('> ');
      screen.type('/quit\n');
      expect(await screen.ended).toBe(0);
    });

    test.each([
      ['n', 'n\n'],
      ['Enter', '\n'],
    ])('%s denies it, and the model is told', async (_, typed) => {
      const at = await chatting();
      const screen = await terminal(at, [WRITES]);
      await screen.shows('> ');
      screen.type('write it\n');
      await screen.shows(CONFIRM);
      screen.type(typed);
      await screen.shows('it said: denied, not run: the operator has denied it\n> ');
      screen.type(CTRL_D);
      expect(await screen.ended).toBe(0);
    });

    test('Ctrl-C at a question stops the round and withdraws it; the chat goes on', async () => {
      const at = await chatting();
      const screen = await terminal(at, [WRITES, { steps: [{ text: 'still here' }] }]);
      await screen.shows('> ');
      screen.type('write it\n');
      await screen.shows(CONFIRM);
      screen.type(CTRL_C);
      await screen.shows('r1 was withdrawn');
      await screen.shows('  stopped\n> ');
      screen.type(CTRL_C);
      await screen.shows(/cost: /);
      expect(await screen.ended).toBe(130);
    });

    test('Ctrl-C with nothing under way says how to end; a second one ends with 130', async () => {
      const at = await chatting();
      const screen = await terminal(at, [WRITES]);
      await screen.shows('> ');
      screen.type(CTRL_C);
      await screen.shows('  press Ctrl-C again to end the chat, or type /quit\n> ');
      screen.type(CTRL_C);
      expect(await screen.ended).toBe(130);
    });
  });
}

describe('signals', () => {
  const way = async (respond: Parameters<typeof farSide>[1]) => {
    const far = await farSide('openai-compatible', respond);
    return { far, ...wayTo('openai-compatible', far.url) };
  };

  test('Ctrl-C stops an answer that does not come, and the next line is answered', async () => {
    const at = await chatting();
    const { far, words, env } = await way((_, count) =>
      count === 1 ? { kind: 'silent', when: 'before' } : { kind: 'reply', text: 'here I am' },
    );
    const running = await startBnerd(['chat', ...words], {
      place: at.place,
      cwd: at.repository,
      env,
      stdin: 'one\ntwo\n',
      keepStdin: true,
    });
    await running.says(/context-assumed/);
    await until(() => far.seen.length === 1, { what: 'the first request' });
    running.signal('SIGINT');
    await running.says(/here I am/);
    expect(running.stderr()).toContain('  stopped\n');
    expect(far.seen[1]?.messages.map(({ text }) => text).join(' ')).toBe('one two');
    running.signal('SIGTERM');
    const ended = await running.ended;
    expect(ended.exit).toBe(143);
  });

  test('a provider that asks to wait is waited for with a line, and Ctrl-C ends the wait', async () => {
    const at = await chatting();
    const { words, env } = await way((_, count) =>
      count === 1
        ? { kind: 'status', status: 429, headers: { 'retry-after': '300' }, message: 'slow down' }
        : { kind: 'reply', text: 'never' },
    );
    const running = await startBnerd(['chat', ...words], {
      place: at.place,
      cwd: at.repository,
      env,
      stdin: 'one\n',
      keepStdin: true,
    });
    await running.says(/ {2}waiting 300 s for the provider \(rate limited\): .*slow down/);
    running.signal('SIGINT');
    await running.says(/ {2}stopped\n/);
    running.signal('SIGINT');
    expect((await running.ended).exit).toBe(130);
  });

  test('a reader of stdout that goes away ends the chat', async () => {
    const at = await chatting();
    const { words, env } = await way(() => ({ kind: 'reply', text: 'x'.repeat(100_000) }));
    const running = await startBnerd(['chat', ...words], {
      place: at.place,
      cwd: at.repository,
      env,
      keepStdin: true,
      stdin: 'one\ntwo\nthree\n',
    });
    running.closeStdout();
    expect((await running.ended).exit).toBe(1);
  });
});
