/**
 * The adapter for Codex with the real program, which speaks with a model on loopback: what it is given, what of a
 * repository is in effect, what it may do, and how it ends.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EngineerEnd } from '../../../src/delegate/engineers/engineer.js';
import {
  type Agent,
  HOSTILE_PROMPT,
  LONG_PROMPT,
  letWork,
  realAgent,
  smallRepository,
} from '../../helpers/engineers/at-work.js';
import {
  called,
  callsThenSays,
  everythingAsked,
  said,
  textParts,
  toolResults,
} from '../../helpers/engineers/model-server.js';
import { plantRepository } from '../../helpers/engineers/planted.js';
import type { Deed, FarSide, Seen } from '../../helpers/providers/far-side.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';
import { git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

let codex: Agent;
beforeAll(async () => {
  codex = await realAgent('codex');
}, INSTALL_MS);

/** A model that it does not know gets its plain tools: one that runs commands. */
const model = 'a-model-of-nobody';

const run = (cmd: string): readonly [string, { cmd: string }] => ['exec_command', { cmd }];

const patch = (...lines: readonly string[]): string =>
  ["apply_patch <<'EOF'", '*** Begin Patch', ...lines, '*** End Patch', 'EOF'].join('\n');

/** A command that reaches out to the server that the model itself runs on. */
const reachesOut = (seen: Seen): readonly [string, { cmd: string }] =>
  run(`: < /dev/tcp/127.0.0.1/${new URL(`http://${seen.headers['host']}`).port} && echo connected`);

/** What its calls have given, in the end. */
function given(far: FarSide): readonly string[] {
  const last = far.seen.at(-1);
  return last === undefined ? [] : toolResults(last);
}

describe('codex is given', () => {
  test.each([
    ['hostile', HOSTILE_PROMPT],
    ['of 100 KB', LONG_PROMPT],
  ])('a prompt over standard input, byte for byte: %s', async (_, prompt) => {
    const { far, end } = await letWork(codex, await smallRepository(), () => said('read'), { prompt, model });
    expect(end).toEqual({ kind: 'success', message: 'read' });
    expect(far.seen).toHaveLength(1);
    expect(far.seen.flatMap(textParts)).toContain(prompt);
    expect(everythingAsked(far)).not.toContain('root:x:0:0');
  });

  test('the model, and tells its session and what it used', async () => {
    const { far, events, usage } = await letWork(codex, await smallRepository(), () => said('ok'), { model });
    expect(far.seen.map((seen) => seen.model)).toEqual([model]);
    const session = expect.stringMatching(/^[\w-]{36}$/);
    expect(events.filter(({ kind }) => kind === 'began')).toEqual([
      { kind: 'began', session, model: null, version: null },
    ]);
    expect(usage).toEqual({ inputTokens: 120, cachedTokens: 30, outputTokens: 20, turns: 1, costUsd: null });
  });

  test('no model: it takes its own, without asking anybody', async () => {
    const { far, end } = await letWork(codex, await smallRepository(), () => said('ok'));
    expect(end).toEqual({ kind: 'success', message: 'ok' });
    expect(far.seen.map((seen) => seen.model)).toEqual([expect.stringMatching(/^gpt-/)]);
  });
});

describe('of a repository of others', () => {
  const prompt = 'use $planted ($planted: too, and $planted-x), @planted and /planted, and see @sub/file.txt';

  test('nothing is in effect', async () => {
    const { tree, marks } = await plantRepository(await tempDir('codex'));
    const calls = callsThenSays([run('cat sub/file.txt')], 'done');
    const { far, end, lines } = await letWork(codex, tree, calls, { prompt, model });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(given(far)).toEqual([expect.stringContaining('nothing but a file')]);
    expect(everythingAsked(far)).not.toContain('sentinel');
    expect(lines.join('\n')).not.toContain('sentinel');
    expect(await marks()).toEqual([]);
  });

  test('with project-settings hooks, skills, servers and instructions are; its sandbox is not loosened', async () => {
    const { tree, marks } = await plantRepository(await tempDir('codex'));
    const beside = join(tree, '..', 'beside.txt');
    const calls = callsThenSays([run(`touch ${beside}`), reachesOut], 'done');
    const settings = { projectSettings: true };
    const { far, end } = await letWork(codex, tree, calls, { prompt, model, settings });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(far.seen[0]?.model).toBe(model);
    for (const word of ['of AGENTS.md', 'of a skill']) {
      expect(everythingAsked(far)).toContain(`sentinel ${word}`);
    }
    expect(await marks()).toEqual(expect.arrayContaining(['hook-SessionStart', 'server']));
    expect(given(far)).toEqual([
      expect.stringContaining('Read-only file system'),
      expect.stringContaining('exited with code 1'),
    ]);
    expect(existsSync(beside)).toBe(false);
  });
});

describe('under read-only', () => {
  test('nothing is changed, whatever the model asks for, and nothing is sent', async () => {
    const tree = await smallRepository();
    const calls = callsThenSays(
      [
        run('cat a.txt'),
        run('touch new.txt'),
        run(`touch ${join(tree, '..', 'beside.txt')}`),
        run('git commit --quiet --allow-empty -m x'),
        run(patch('*** Add File: patched.txt', '+x')),
        reachesOut,
        [
          'exec_command',
          { cmd: 'touch new.txt', sandbox_permissions: 'require_escalated', justification: 'x' },
        ],
        ['request_user_input', { questions: [] }],
      ],
      'looked',
    );
    const { far, end } = await letWork(codex, tree, calls, { safety: 'read-only', model });
    expect(end).toEqual({ kind: 'success', message: 'looked' });
    const results = given(far);
    expect(results).toHaveLength(8);
    expect(results[0]).toContain('one');
    for (const result of results.slice(1)) expect(result).not.toContain('exited with code 0');
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(git(tree, 'rev-list', '--count', '--all')).toBe('1');
    expect(existsSync(join(tree, '..', 'beside.txt'))).toBe(false);
  });
});

describe('the tools of its own models', () => {
  /** These are given one tool, whose argument is a program that calls the others. */
  const script = (cmd: string): readonly [string, string] => [
    'exec',
    `text(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} }))`,
  ];

  test.each([
    ['read-only', [/Read-only file system/, /Operation not permitted/, /Read-only file system/]],
    ['non-destructive', [/"exit_code":0/, /Operation not permitted/, /Read-only file system/]],
  ] as const)('are held by the same sandbox: %s', async (safety, expected) => {
    const tree = await smallRepository();
    const reaches = (seen: Seen) => script(reachesOut(seen)[1].cmd);
    const beside = join(tree, '..', 'beside.txt');
    const calls = callsThenSays([script('touch new.txt'), reaches, script(`touch ${beside}`)], 'done');
    const { far, end } = await letWork(codex, tree, calls, { safety });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(given(far)).toEqual(expected.map((words) => expect.stringMatching(words)));
    expect([existsSync(join(tree, 'new.txt')), existsSync(beside)]).toEqual([safety !== 'read-only', false]);
  });
});

describe('under non-destructive', () => {
  test('E113 edits and commits go through, also from a folder of the tree; what needs more does not', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    const calls = callsThenSays(
      [
        run(patch('*** Update File: b.txt', '@@', '-two', '+three')),
        run('echo new > ../new.txt && git add -A && git commit -q -m work'),
        run('echo temporary > $TMPDIR/x && cat $TMPDIR/x'),
        run('env'),
        run(`touch ${beside}`),
        reachesOut,
        [
          'exec_command',
          { cmd: `touch ${beside}`, sandbox_permissions: 'require_escalated', justification: 'x' },
        ],
      ],
      'worked',
    );
    const directory = join(tree, 'sub');
    const { far, end, events } = await letWork(codex, tree, calls, { directory, model });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(git(tree, 'log', '-1', '--format=%s', '--name-status')).toBe('work\n\nA\tnew.txt\nM\tsub/b.txt');
    expect(await readFile(join(directory, 'b.txt'), 'utf8')).toBe('three\n');
    const results = given(far);
    expect(results[2]).toContain('temporary');
    expect(results[3]).not.toContain('sk-nobody'); // the key of its provider is nothing for what it runs
    for (const result of results.slice(4)) expect(result).not.toContain('exited with code 0');
    expect(existsSync(beside)).toBe(false);
    const texts = events.flatMap((event) => (event.kind === 'activity' ? [event.text] : []));
    expect(texts).toEqual(
      expect.arrayContaining([expect.stringMatching(/^runs /), expect.stringMatching(/^changes update /)]),
    );
  });
});

describe('under full', () => {
  test('everything goes through, where the settings allow it', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    const calls = callsThenSays([run(`touch ${beside}`), reachesOut], 'worked');
    const full = { safety: 'full', model, settings: { mayBeFull: true } } as const;
    const { end, far } = await letWork(codex, tree, calls, full);
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(existsSync(beside)).toBe(true);
    expect(given(far)[1]).toContain('connected');
  });
});

type Cause = Extract<EngineerEnd, { kind: 'failure' }>['cause'];

const status = (code: number, message: string, type?: string): Deed => ({
  kind: 'status',
  status: code,
  message,
  ...(type === undefined ? {} : { type }),
});

const FAULTS: readonly (readonly [string, Deed, Cause, RegExp])[] = [
  ['a wrong key', status(401, 'Incorrect API key provided'), 'auth', /401/],
  ['no more money', status(429, 'You exceeded your quota', 'insufficient_quota'), 'quota', /quota/i],
  ['a rate limit', status(429, 'Rate limit reached'), 'quota', /429/],
  ['a fault of the server', status(500, 'The server had an error'), 'api_error', /./],
  ['a model that is not there', status(404, 'The model x does not exist'), 'api_error', /not exist/],
  [
    'a prompt that is too long',
    status(400, 'Your input exceeds the context window', 'context_length_exceeded'),
    'engineer_error',
    /context window/,
  ],
  ['an answer that is cut', { kind: 'cut', when: 'within' }, 'api_error', /./],
  [
    'an answer that is no whole one',
    { kind: 'reply', text: 'part', stop: 'max_output_tokens' },
    'unfinished',
    /./,
  ],
];

describe('it ends', () => {
  test.each(FAULTS)('by %s', async (_, deed, cause, detail) => {
    const { end, exit } = await letWork(codex, await smallRepository(), () => deed, { model });
    expect(end).toEqual({
      kind: 'failure',
      cause,
      detail: expect.stringMatching(detail),
      message: expect.any(String),
    });
    expect(exit).toEqual({ kind: 'exited', code: 1 });
  });

  test('without any key', async () => {
    const settings = { env: { LOOPBACK_API_KEY: '' } };
    const { end, far } = await letWork(codex, await smallRepository(), () => said('x'), { model, settings });
    expect(end).toMatchObject({
      kind: 'failure',
      cause: 'auth',
      detail: expect.stringContaining('LOOPBACK_API_KEY'),
    });
    expect(far.seen).toEqual([]);
  });

  test('by a bound of tokens that an operator has given', async () => {
    const bound = '{enabled=true,limit_tokens=200,reminder_at_remaining_tokens=[50]}';
    const settings = { args: ['-c', `features.rollout_budget=${bound}`] };
    const loops = (): Deed => called(...run('cat a.txt'));
    const { end, far } = await letWork(codex, await smallRepository(), loops, { model, settings });
    expect(end).toMatchObject({ kind: 'failure', cause: 'max_budget' });
    expect(far.seen.length).toBeGreaterThan(1);
  });

  test('only from outside, when the model says nothing; it has no end of its own then', async () => {
    const outer = new AbortController();
    const silent: Deed = { kind: 'silent', when: 'before' };
    const respond = (): Deed => {
      outer.abort();
      return silent;
    };
    const { end, exit } = await letWork(codex, await smallRepository(), respond, {
      model,
      signal: outer.signal,
    });
    expect(end).toEqual({ kind: 'none' });
    expect(exit).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  });
});
