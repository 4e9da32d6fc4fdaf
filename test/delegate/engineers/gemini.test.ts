/**
 * The adapter for Gemini CLI with the real program, which speaks with a model on loopback: what it is given, what of a
 * repository is in effect, what it may do, and how it ends.
 */

import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
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
import type { Deed, FarSide } from '../../helpers/providers/far-side.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';
import { git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

let gemini: Agent;
beforeAll(async () => {
  gemini = await realAgent('gemini');
}, INSTALL_MS);

const model = 'a-model-of-nobody';

/** It takes seconds to begin, and half a minute where all cores are busy. */
const SLOW = { timeout: 180_000 };

const run = (command: string): readonly [string, { command: string }] => ['run_shell_command', { command }];

const writes = (file_path: string): readonly [string, Record<string, string>] => [
  'write_file',
  { file_path, content: 'x\n' },
];

/** What its calls have given, in the end. */
function given(far: FarSide): readonly string[] {
  const last = far.seen.at(-1);
  return last === undefined ? [] : toolResults(last);
}

describe('gemini is given', SLOW, () => {
  test.each([
    ['hostile', HOSTILE_PROMPT],
    ['of 100 KB', LONG_PROMPT],
  ])(
    'a prompt over standard input, byte for byte, and the model, and tells its session and what it used: %s',
    async (_, prompt) => {
      const { far, end, events, usage } = await letWork(gemini, await smallRepository(), () => said('read'), {
        prompt,
        model,
      });
      expect(end).toEqual({ kind: 'success', message: 'read' });
      expect(far.seen.map((seen) => seen.model)).toEqual([model]);
      expect(events.filter(({ kind }) => kind === 'began')).toEqual([
        {
          kind: 'began',
          session: expect.stringMatching(/^[\w-]{36}$/),
          model: null,
          version: gemini.version,
        },
      ]);
      expect(usage).toEqual({ inputTokens: 120, cachedTokens: 0, outputTokens: 20, turns: 1, costUsd: null });
      expect(far.seen.flatMap(textParts)).toContain(prompt);
      expect(everythingAsked(far)).not.toContain('root:x:0:0');
    },
  );
});

describe('of a repository of others', SLOW, () => {
  const prompt = 'use $planted, @planted and /planted, and see @sub/file.txt';
  const looks = callsThenSays([['read_file', { file_path: 'sub/file.txt' }], run('touch x')], 'done');

  test('nothing is in effect', async () => {
    const { tree, marks } = await plantRepository(await tempDir('gemini'));
    const { far, end, lines } = await letWork(gemini, tree, looks, { prompt, model });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(given(far)[0]).toContain('nothing but a file');
    expect(given(far)[1]).toContain('denied by policy');
    expect(everythingAsked(far)).not.toContain('sentinel');
    expect(lines.join('\n')).not.toContain('sentinel');
    expect(await marks()).toEqual([]);
  });

  test('with project-settings hooks, servers and instructions are', async () => {
    const { tree, marks } = await plantRepository(await tempDir('gemini'));
    const settings = { projectSettings: true };
    const { far, end } = await letWork(gemini, tree, looks, { prompt, model, settings });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    for (const word of ['of GEMINI.md', 'of AGENTS.md', 'of a skill'])
      expect(everythingAsked(far)).toContain(`sentinel ${word}`);
    expect(await marks()).toEqual(expect.arrayContaining(['hook-BeforeAgent', 'server']));
  });
});

describe('under read-only', SLOW, () => {
  test('nothing is changed, whatever the model asks for, and nothing outside is read', async () => {
    const tree = await smallRepository();
    const calls = callsThenSays(
      [
        ['read_file', { file_path: 'a.txt' }],
        writes(join(tree, 'new.txt')),
        ['replace', { file_path: 'a.txt', old_string: 'one', new_string: 'two', instruction: 'x' }],
        run('touch new.txt'),
        run('git add -A'),
        ['invoke_agent', { agent_name: 'generalist', prompt: 'write a file' }],
        ['web_fetch', { prompt: 'http://example.org' }],
        ['read_file', { file_path: '/etc/passwd' }],
      ],
      'looked',
    );
    const { far, end } = await letWork(gemini, tree, calls, { safety: 'read-only', model });
    expect(end).toEqual({ kind: 'success', message: 'looked' });
    const results = given(far);
    expect(results).toHaveLength(8);
    expect(results[0]).toContain('one');
    for (const result of results.slice(1)) expect(result).toContain('"error"');
    expect(everythingAsked(far)).not.toContain('root:x:0:0');
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(git(tree, 'rev-list', '--count', '--all')).toBe('1');
  });
});

describe('under non-destructive', SLOW, () => {
  test('E113 edits and commits go through, also from a folder of the tree; what needs more does not', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    await symlink(beside, join(tree, 'sub', 'link'));
    const calls = callsThenSays(
      [
        ['replace', { file_path: 'b.txt', old_string: 'two', new_string: 'three', instruction: 'x' }],
        writes(join(tree, 'new.txt')),
        run('git add -A'),
        run('git commit -q -m work'),
        run('touch more.txt'),
        run('git add -A; touch more.txt'),
        run('git commit --allow-empty -m $(touch more.txt)'),
        run('git commit --allow-empty -m more > more.txt'),
        run('git -c alias.x=!touch x'),
        writes(beside),
        writes(join(tree, 'sub', 'link')),
        writes(join(tree, '.git', 'hooks', 'pre-commit')),
        ['web_fetch', { prompt: 'http://example.org' }],
        ['invoke_agent', { agent_name: 'generalist', prompt: 'touch more.txt' }],
      ],
      'worked',
    );
    const directory = join(tree, 'sub');
    const { far, end, events, notes } = await letWork(gemini, tree, calls, { directory, model });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(git(tree, 'log', '-1', '--format=%s', '--name-status')).toBe(
      'work\n\nA\tnew.txt\nM\tsub/b.txt\nA\tsub/link',
    );
    expect(await readFile(join(directory, 'b.txt'), 'utf8')).toBe('three\n');
    const results = given(far);
    expect(results).toHaveLength(14);
    for (const result of results.slice(4)) expect(result).toContain('"error"');
    expect(existsSync(beside)).toBe(false);
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(tree, '.git', 'hooks', 'pre-commit'))).toBe(false);
    expect(notes).toEqual([expect.stringMatching(/^rejected: git commit .* > more\.txt \(execute\)/)]);
    const texts = events.flatMap((event) => (event.kind === 'activity' ? [event.text] : []));
    expect(texts).toEqual(expect.arrayContaining([...notes, expect.stringMatching(/^edit: /)]));
  });
});

test(
  'E106 a rule about commands that it has no leave for is held, and what it commits with goes on',
  SLOW,
  async () => {
    const tree = await smallRepository();
    const lines = [
      'rm a.txt',
      '/bin/rm a.txt',
      'git add -A && rm a.txt',
      'git commit -m $(rm a.txt)',
      "sh -c 'rm a.txt'",
    ];
    const calls = callsThenSays([...lines, 'git commit -q --allow-empty -m work'].map(run), 'worked');
    const deny = [
      { tool: 'shell_exec', match: 'rm *', form: 'rule', decision: 'deny', origin: 'recipe' },
    ] as const;
    const { far, end } = await letWork(gemini, tree, calls, { model, deny });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    for (const result of given(far).slice(0, lines.length)) expect(result).toContain('"error"');
    expect(existsSync(join(tree, 'a.txt'))).toBe(true);
    expect(git(tree, 'log', '-1', '--format=%s')).toBe('work');
  },
);

describe('under full', SLOW, () => {
  test('everything goes through, where the settings allow it', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    const full = { safety: 'full', model, settings: { mayBeFull: true } } as const;
    const { end } = await letWork(gemini, tree, callsThenSays([run(`touch ${beside}`)], 'ok'), full);
    expect(end).toEqual({ kind: 'success', message: 'ok' });
    expect(existsSync(beside)).toBe(true);
  });
});

type Cause = Extract<EngineerEnd, { kind: 'failure' }>['cause'];

const status = (code: number, message: string, type: string): Deed => ({
  kind: 'status',
  status: code,
  message,
  type,
});

/** A quota it tries again for half a minute: what that says is read in `acp.test.ts`. */
const FAULTS: readonly (readonly [string, Deed, Cause, RegExp])[] = [
  ['a wrong key', status(400, 'API key not valid.', 'INVALID_ARGUMENT'), 'auth', /key not valid/],
  ['a model that is not there', status(404, 'models/x is not found', 'NOT_FOUND'), 'api_error', /not found/],
  [
    'a request that is too large',
    status(400, 'Too many tokens', 'INVALID_ARGUMENT'),
    'engineer_error',
    /Too/,
  ],
];

describe('it ends', SLOW, () => {
  test.each(FAULTS)('by %s', async (_, deed, cause, detail) => {
    const { end, exit } = await letWork(gemini, await smallRepository(), () => deed, { model });
    expect(end).toEqual({ kind: 'failure', cause, detail: expect.stringMatching(detail), message: '' });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
  });

  test('by its limit of turns', async () => {
    const loops = (): Deed => called('read_file', { file_path: 'a.txt' });
    const { end, far } = await letWork(gemini, await smallRepository(), loops, { model, turns: 2 });
    expect(end).toMatchObject({ kind: 'failure', cause: 'max_turns' });
    expect(far.seen).toHaveLength(2);
  });

  test('only from outside, when the model says nothing; it has no end of its own then', async () => {
    const outer = new AbortController();
    const respond = (): Deed => {
      outer.abort();
      return { kind: 'silent', when: 'before' };
    };
    const { end, exit } = await letWork(gemini, await smallRepository(), respond, {
      model,
      signal: outer.signal,
    });
    expect(end).toEqual({ kind: 'none' });
    expect(exit).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  });
});
