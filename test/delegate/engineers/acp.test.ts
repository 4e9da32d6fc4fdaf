/**
 * The adapter for any agent of the Agent Client Protocol, with an agent that the protocol's SDK makes and that does what
 * its arguments say: each question of it is answered, each way to end has its name. With a real agent: `acp-real.test.ts`.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acp } from '../../../src/delegate/engineers/acp.js';
import type { EngineerEvent, EngineerOrder } from '../../../src/delegate/engineers/engineer.js';
import { type EngineerSeen, runEngineer } from '../../../src/delegate/engineers/run-engineer.js';
import { OUTPUT_MARK } from '../../../src/delegate/engineers/transcript.js';
import { systemClock } from '../../../src/shared/clock.js';
import { CancelledError } from '../../../src/shared/errors.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { ProcessGroups } from '../../../src/shared/processes.js';
import { NO_SECRETS, type Redactor, redactorOf } from '../../../src/shared/secrets/redactor.js';
import { engineerOrder } from '../../helpers/engineers/run-plan.js';
import { tempDir } from '../../helpers/temp-dir.js';

const AGENT = join(import.meta.dirname, '../../fixtures/runners/acp-agent.mjs');

interface Options extends Partial<Pick<EngineerOrder, 'safety' | 'prompt'>> {
  readonly announceMs?: number;
  readonly lingerMs?: number;
  readonly wallMs?: number;
  readonly signal?: AbortSignal;
  readonly secrets?: Redactor;
  readonly heard?: (event: EngineerEvent | { readonly kind: 'stalled' }) => void;
}

/** Deeds may name `@`, the tree. */
async function run(
  deeds: readonly string[],
  { safety = 'non-destructive', prompt = 'the order', ...options }: Options = {},
): Promise<{ seen: EngineerSeen; output: string; head: string; activity: readonly string[] }> {
  const root = await tempDir();
  const groups = new ProcessGroups({ folder: join(root, 'groups') });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const activity: string[] = [];
  const order = engineerOrder(root, {
    prompt,
    safety,
    home: join(root, 'home'),
    settings: {
      path: process.execPath,
      args: [AGENT, ...deeds.map((deed) => deed.replaceAll('@', root))],
      mayBeFull: true,
    },
  });
  const seen = await runEngineer(
    acp,
    order,
    join(root, 'transcript'),
    {
      groups,
      environment: { PATH: '/usr/bin:/bin' },
      wrap: [],
      clock: systemClock,
      secrets: options.secrets ?? NO_SECRETS,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      wallMs: options.wallMs ?? 60_000,
      graceMs: 100,
      announceMs: options.announceMs ?? 60_000,
      stalledMs: 60_000,
      outputBytes: 1 << 30,
      lingerMs: options.lingerMs ?? 60_000,
    },
    {
      event: (event) => {
        if (event.kind === 'activity') activity.push(event.text);
        options.heard?.(event);
      },
    },
  );
  expect(groups.live).toEqual([]);
  const transcript = await readFile(join(root, 'transcript'), 'utf8');
  const [head = '', output = ''] = transcript.split(OUTPUT_MARK);
  return { seen, head, output, activity };
}

const ended = (end: object): object => ({ run: { kind: 'ended', end }, left: [] });

describe('an agent is spoken with', () => {
  test('with the prompt as one text, byte for byte, which stands at the head of the transcript', async () => {
    const prompt = `Do it.\u2028é😀\u0000\u001b \ufeff\n${'"x\\'.repeat(100_000)}\n`;
    const { seen, head } = await run(['echo'], { prompt });
    expect(seen).toMatchObject(ended({ kind: 'success' }));
    expect(head).toBe(prompt);
    expect(JSON.parse(seen.message)).toEqual([['text', createHash('sha256').update(prompt).digest('hex')]]);
  });

  test('and tells its session, its version, what it did and used, and its last words', async () => {
    const { seen, activity } = await run(['say=I look.\n', 'call=read|Reads a.txt', 'say=It', 'say= works.']);
    expect(seen).toMatchObject({
      ...ended({ kind: 'success', message: 'It works.' }),
      session: 'session-1',
      version: '1.2.3',
      message: 'It works.',
      usage: { inputTokens: 7, outputTokens: 5, turns: 1, costUsd: null },
    });
    expect(activity).toEqual(['I look.', 'read: Reads a.txt']);
  });

  test('lines that are none of the protocol, or answer nothing, are noise (J205)', async () => {
    const { seen } = await run(['raw=DEBUG: x', 'say=done', '--garbage']);
    expect(seen).toMatchObject(ended({ kind: 'success', message: 'done' }));
    expect(seen.noise.lines).toBeGreaterThanOrEqual(5);
  });
});

const ONCE = 'selected option-allow_once;';
const NO = 'selected option-reject_once;';

describe('what it asks for is answered by the safety of the brief', () => {
  test.each([
    [
      'read-only',
      [
        ['read|Reads it|@/a.txt', ONCE],
        ['read|Reads all|/etc/passwd', NO],
        ['think|Thinks', ONCE],
        ['edit|Writes it|@/a.txt', NO],
        ['execute|ls', NO],
      ],
    ],
    [
      'non-destructive',
      [
        ['edit|Writes it|@/sub/a.txt', ONCE],
        ['move|Moves it|@/a.txt', ONCE],
        ['edit|Writes outside|@/../a.txt', NO],
        ['edit|Writes a hook|@/.git/hooks/x', NO],
        ['edit|Writes somewhere', NO],
        ['delete|Removes it|@/a.txt', NO],
        ['execute|git push', NO],
        ['fetch|Asks the net', NO],
        ['switch_mode|Allows itself all', NO],
        ['other|Does something', NO],
      ],
    ],
    [
      'full',
      [
        ['execute|git push', ONCE],
        ['delete|Removes it|/a.txt', ONCE],
        ['x-of-tomorrow|Does something', NO],
        ['|Says no kind', NO],
      ],
    ],
  ] as const)('%s', async (safety, table) => {
    const { seen, output, activity } = await run(
      table.map(([asked]) => `ask=${asked}`),
      { safety },
    );
    expect(seen).toMatchObject(
      ended({ kind: 'success', message: table.map(([, answer]) => answer).join('') }),
    );
    const notes = output.split('\n').filter((line) => line.startsWith('--- bnerd: '));
    const words = table.map(([asked, answer]) => {
      const said = answer === ONCE ? 'allowed once: ' : 'rejected: ';
      return `${said}${asked.split('|')[1]} (`;
    });
    expect(notes).toEqual(words.map((one) => expect.stringContaining(`--- bnerd: ${one}`)));
    for (const one of words) expect(activity).toContainEqual(expect.stringContaining(one));
  });

  test.each([
    ['full', ['--without=allow_once'], NO],
    ['read-only', ['--without=reject_once'], 'selected option-reject_always;'],
    ['read-only', ['--without=reject_once', '--without=reject_always'], 'cancelled ;'],
  ] as const)('%s, and nothing that is not offered: %j', async (safety, without, answer) => {
    const { seen } = await run(['ask=execute|ls', ...without], { safety });
    expect(seen).toMatchObject(ended({ kind: 'success', message: answer }));
  });

  test('E111: a question of a child session is answered as well, and the engineer goes on', async () => {
    const asks = ['child=execute|git push', 'child=edit|Writes it|@/a.txt', 'ask=execute|ls', 'say= done'];
    const { seen, output } = await run(asks);
    expect(seen).toMatchObject(ended({ kind: 'success', message: `${NO}${ONCE}${NO} done` }));
    expect(output).toContain('--- bnerd: rejected: git push (execute): ');
    expect(output).toContain('--- bnerd: allowed once: Writes it (edit)');
  });

  test('E111: files, terminals and questions to a person are not offered, and that is answered', async () => {
    const wants = [
      'wants=fs/read_text_file|{"sessionId":"session-1","path":"/etc/passwd"}',
      'wants=fs/write_text_file|{"sessionId":"session-1","path":"/tmp/x","content":""}',
      'wants=terminal/create|{"sessionId":"session-1","command":"ls"}',
      'wants=elicitation/create|{}',
      'wants=_x/y',
      'wants=session/request_permission|{"options":7,"toolCall":[]}',
    ];
    const { seen, output } = await run(wants, { safety: 'full' });
    const cancelled = '{"outcome":{"outcome":"cancelled"}};';
    expect(seen).toMatchObject(
      ended({ kind: 'success', message: `${'error -32601;'.repeat(5)}${cancelled}` }),
    );
    expect(output).toContain('--- bnerd: asked for terminal/create, which is not offered');
  });

  test('no secret stands in what is noted of it', async () => {
    const secrets = redactorOf([{ name: 'KEY', value: 'sesame-sesame' }]);
    const { output, activity } = await run(['ask=execute|echo sesame-sesame'], { secrets });
    expect(output).toContain('--- bnerd: rejected: echo [secret:KEY]');
    expect(`${output}${activity.join()}`).not.toContain('sesame-sesame');
  });
});

describe('it ends', () => {
  test.each([
    ['stop=max_tokens', 'unfinished', /max_tokens/],
    ['stop=max_turn_requests', 'max_turns', /max_turn_requests/],
    ['stop=refusal', 'engineer_error', /refus/],
    ['stop=cancelled', 'unfinished', /cancelled/],
    ['stop=tomorrow', 'unfinished', /tomorrow/],
    ['error=401|Who are you', 'auth', /Who are you \(session\/prompt\)/],
    ['error=-32603|Invalid API key', 'auth', /API key/],
    ['error=429|Later', 'quota', /Later/],
    ['error=503|Down', 'api_error', /Down/],
    ['error=-32603|It broke', 'engineer_error', /It broke/],
    ['--login', 'auth', /session\/new/],
    ['--no-answer', 'engineer_error', /initialize/],
    ['--version=2', 'engineer_error', /version 2 of the protocol/],
  ])('by %s', async (deed, cause, detail) => {
    const { seen } = await run(['say=so far', deed]);
    expect(seen).toMatchObject(ended({ kind: 'failure', cause, detail: expect.stringMatching(detail) }));
  });

  test.each([
    [['say=so far', 'exit=0'], { kind: 'ended', exit: { code: 0 }, end: { kind: 'none' } }],
    [['exit=3'], { kind: 'ended', exit: { code: 3 }, end: { kind: 'none' } }],
    [['die'], { kind: 'ended', exit: { signal: 'SIGSEGV' }, end: { kind: 'none' } }],
  ])('by its death, %j, which is told as it was', async (deeds, expected) => {
    expect((await run(deeds)).seen.run).toMatchObject(expected);
  });

  test('B28: by its silence from the start', async () => {
    const { seen } = await run(['--silent'], { announceMs: 500 });
    expect(seen.run).toMatchObject({ kind: 'silent', detail: expect.stringContaining('did not say') });
  });

  test('when it asks and does not read what it is answered', async () => {
    const { seen } = await run(['--deaf']);
    expect(seen).toMatchObject({
      ...ended({ kind: 'failure', cause: 'engineer_error', detail: expect.stringContaining('not read') }),
    });
  });

  test('when its time is over, if it never answers', async () => {
    const { seen } = await run(['hang'], { wallMs: 4_000 });
    expect(seen).toMatchObject({ run: { kind: 'timed_out' }, left: [] });
  });

  test('with the cancel, in the middle of its turn', async () => {
    const cancel = new AbortController();
    const { seen } = await run(['say=begun\n', 'hang'], {
      signal: cancel.signal,
      heard: ({ kind }) => {
        if (kind === 'activity') cancel.abort(new CancelledError('cancelled', 'the lead has cancelled it'));
      },
    });
    expect(seen).toMatchObject({
      run: { kind: 'cancelled', detail: 'the lead has cancelled it' },
      left: [],
    });
  });

  test.each([
    ['say=done', { kind: 'success', message: 'done' }],
    ['stop=refusal', { kind: 'failure', cause: 'engineer_error' }],
  ])('in time when it stays behind its last word, as many do: %s', async (deed, end) => {
    const { seen } = await run([deed, '--lingers'], { lingerMs: 300 });
    expect(seen).toMatchObject({ run: { kind: 'ended', exit: { kind: 'dismissed' }, end }, left: [] });
  });

  test('after 200 MB of updates, which are not kept', async () => {
    const before = process.memoryUsage().rss;
    const { seen } = await run(['flood=200', 'say=done']);
    expect(seen).toMatchObject(ended({ kind: 'success', message: 'done' }));
    expect(seen.transcript.cut).toBeGreaterThan(100_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });
});
