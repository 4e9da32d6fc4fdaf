/**
 * The adapter for Claude Code with the real program, which speaks with a model on loopback: what it is given, what of a
 * repository is in effect, and what it may do.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Agent,
  HOSTILE_PROMPT,
  LONG_PROMPT,
  letWork,
  realAgent,
  smallRepository,
} from '../../helpers/engineers/at-work.js';
import {
  callsThenSays,
  everythingAsked,
  said,
  textParts,
  toolResults,
} from '../../helpers/engineers/model-server.js';
import { plantRepository } from '../../helpers/engineers/planted.js';
import type { FarSide } from '../../helpers/providers/far-side.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';
import { git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

let claude: Agent;
beforeAll(async () => {
  claude = await realAgent('claude-code');
}, INSTALL_MS);

/** What its calls have given, in the end. */
function given(far: FarSide): readonly string[] {
  const last = far.seen.at(-1);
  return last === undefined ? [] : toolResults(last);
}

describe('claude-code is given', () => {
  test.each([
    ['hostile', HOSTILE_PROMPT],
    ['of 100 KB', LONG_PROMPT],
  ])('a prompt over standard input, byte for byte: %s', async (_, prompt) => {
    const { far, end, lines } = await letWork(claude, await smallRepository(), () => said('read'), {
      prompt,
    });
    expect(end).toEqual({ kind: 'success', message: 'read' });
    expect(far.seen).toHaveLength(1);
    expect(far.seen.flatMap(textParts)).toContain(prompt);
    // A file that a prompt names is not read because of that.
    expect(everythingAsked(far) + lines).not.toContain('root:x:0:0');
  });

  test('the model, and says who it is', async () => {
    const model = 'claude-haiku-5-5';
    const { far, events } = await letWork(claude, await smallRepository(), () => said('ok'), { model });
    expect(far.seen.map((seen) => seen.model)).toEqual([model]);
    const session = expect.stringMatching(/^[\w-]{36}$/);
    expect(events.filter(({ kind }) => kind === 'began')).toEqual([
      { kind: 'began', session, model, version: claude.version },
    ]);
  });
});

describe('of a repository of others', () => {
  const looksAround = (tree: string) =>
    callsThenSays(
      [
        ['Read', { file_path: join(tree, 'sub', 'file.txt') }],
        ['Bash', { command: 'node -e 1' }],
        ['Skill', { skill: 'planted' }],
      ],
      'done',
    );

  test('nothing is in effect', async () => {
    const { tree, marks } = await plantRepository(await tempDir('claude'));
    const { far, end, lines } = await letWork(claude, tree, looksAround(tree));
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(given(far)).toEqual([
      expect.stringContaining('nothing but a file'),
      expect.stringContaining('requires approval'),
      expect.stringContaining('No such tool available: Skill'),
    ]);
    expect(everythingAsked(far)).not.toContain('sentinel');
    expect(lines.join('\n')).not.toContain('sentinel');
    expect(await marks()).toEqual([]);
  });

  test('with project-settings hooks, skills, servers and instructions are; its permissions are not', async () => {
    const { tree, marks } = await plantRepository(await tempDir('claude'));
    const settings = { projectSettings: true };
    const { far, end } = await letWork(claude, tree, looksAround(tree), { settings });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    for (const word of ['of CLAUDE.md', 'of an import', 'of its body', 'of a rule']) {
      expect(everythingAsked(far)).toContain(`sentinel ${word}`);
    }
    expect(await marks()).toEqual(expect.arrayContaining(['hook-SessionStart', 'hook-PreToolUse', 'server']));
    expect(given(far)[1]).toContain('requires approval');
  });
});

describe('under read-only', () => {
  test('nothing is changed, whatever the model asks for, and nothing outside is read', async () => {
    const tree = await smallRepository();
    const file = join(tree, 'a.txt');
    const { far, end } = await letWork(
      claude,
      tree,
      callsThenSays(
        [
          ['Read', { file_path: file }],
          ['Grep', { pattern: 'two', path: tree }],
          ['Write', { file_path: join(tree, 'new.txt'), content: 'x' }],
          ['Edit', { file_path: file, old_string: 'one', new_string: 'two' }],
          ['Bash', { command: `touch ${join(tree, 'new.txt')}` }],
          ['NotebookEdit', { notebook_path: join(tree, 'n.ipynb'), new_source: 'x' }],
          ['Task', { description: 'x', prompt: 'write a file', subagent_type: 'general-purpose' }],
          ['ExitPlanMode', { plan: 'write a file' }],
          ['Read', { file_path: '/etc/passwd' }],
        ],
        'looked',
      ),
      { safety: 'read-only' },
    );
    expect(end).toEqual({ kind: 'success', message: 'looked' });
    const refused = (tool: string) => expect.stringContaining(`No such tool available: ${tool}`);
    expect(given(far)).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('b.txt'),
      ...['Write', 'Edit', 'Bash', 'NotebookEdit', 'Task', 'ExitPlanMode'].map(refused),
      expect.stringContaining('denied'),
    ]);
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(git(tree, 'rev-list', '--count', '--all')).toBe('1');
  });
});

describe('under non-destructive', () => {
  test('E113 edits and commits go through; what needs more is denied, and it goes on', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    const { far, end, events } = await letWork(
      claude,
      tree,
      callsThenSays(
        [
          ['Write', { file_path: join(tree, 'new.txt'), content: 'new\n' }],
          ['Read', { file_path: join(tree, 'a.txt') }],
          ['Edit', { file_path: join(tree, 'a.txt'), old_string: 'one', new_string: 'three' }],
          ['Bash', { command: 'git add -A && git commit -q -m work' }],
          ['Bash', { command: 'node --version' }],
          ['Bash', { command: 'node -e 1' }],
          ['Bash', { command: 'curl http://127.0.0.1:1/' }],
          ['Bash', { command: 'git push' }],
          ['Bash', { command: 'git config core.hooksPath .' }],
          ['Bash', { command: `touch ${beside}` }],
          ['Write', { file_path: beside, content: 'x' }],
          ['Write', { file_path: join(tree, '.git', 'hooks', 'pre-commit'), content: 'x' }],
          ['WebFetch', { url: 'http://127.0.0.1:1/', prompt: 'x' }],
        ],
        'worked',
      ),
      { settings: { args: ['--allowedTools', 'Bash(node --version)'] } },
    );
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(git(tree, 'log', '--format=%s', '--name-status')).toBe(
      'work\n\nM\ta.txt\nA\tnew.txt\nstart\n\nA\ta.txt\nA\tsub/b.txt',
    );
    expect(await readFile(join(tree, 'a.txt'), 'utf8')).toBe('three\n');
    const results = given(far);
    expect(results[4]).toContain(process.version.slice(0, 2)); // allowed by the operator's arguments
    for (const result of results.slice(5)) expect(result).toMatch(/approval|permission|No such tool/);
    expect(existsSync(beside)).toBe(false);
    expect(existsSync(join(tree, '.git', 'hooks', 'pre-commit'))).toBe(false);
    const denied = events.filter((event) => event.kind === 'activity' && event.text.startsWith('denied: '));
    expect(denied.length).toBeGreaterThan(0);
  });

  test('all of the tree may be changed from a folder of it', async () => {
    const tree = await smallRepository();
    const file = join(tree, 'new.txt');
    const calls = callsThenSays([['Write', { file_path: file, content: 'x' }]], 'worked');
    const { end } = await letWork(claude, tree, calls, { directory: join(tree, 'sub') });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(existsSync(file)).toBe(true);
  });
});

describe('under full', () => {
  test('everything goes through, where the settings allow it', async () => {
    const tree = await smallRepository();
    const beside = join(tree, '..', 'beside.txt');
    const calls = callsThenSays(
      [
        ['Bash', { command: `node -e 'require("fs").writeFileSync(process.argv[1], "x")' ${beside}` }],
        ['Read', { file_path: beside }],
      ],
      'worked',
    );
    // It refuses this to root, unless it is told that the machine is made for it.
    const env = userInfo().uid === 0 ? { IS_SANDBOX: '1' } : {};
    const { end } = await letWork(claude, tree, calls, {
      safety: 'full',
      settings: { mayBeFull: true, env },
    });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(existsSync(beside)).toBe(true);
  });
});
