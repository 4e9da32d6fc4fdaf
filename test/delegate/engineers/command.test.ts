/**
 * The adapter for any program (`command`), as a runner runs it: what of a repository of others is in effect, and what of it
 * reaches the program by itself. What the program reads of its own will is its operator's to say.
 */

import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plantRepository } from '../../helpers/engineers/planted.js';
import { commitAll, git, putFiles } from '../../helpers/repository.js';
import { runnerScene } from '../../helpers/runner.js';
import { tempDir } from '../../helpers/temp-dir.js';

const PROGRAM = join(import.meta.dirname, '../../fixtures/runners/tells-given.mjs');

interface Given {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What lies there. */
  readonly beside: readonly string[];
  /** The files of its home, by their paths. */
  readonly home: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** A repository with all that agents pick up, and all that git runs; its history and names speak as well. */
async function plantedForGit(): Promise<Awaited<ReturnType<typeof plantRepository>>> {
  const planted = await plantRepository(await tempDir('command'));
  const { tree } = planted;
  const marks = join(tree, '../../marks');
  await putFiles(tree, {
    '.gitattributes': '* filter=planted diff=planted merge=planted\n',
    '.gitmodules': '[submodule "sentinel"]\n\tpath = module\n\turl = ./sentinel\n',
  });
  commitAll(tree, 'sentinel of a message');
  git(tree, 'tag', '--annotate', '--message', 'sentinel of a tag', 'sentinel-of-a-tag');
  git(tree, 'notes', 'add', '--message', 'sentinel of a note');
  const hooks = join(tree, '.git/hooks');
  await mkdir(hooks, { recursive: true });
  for (const hook of [
    'pre-commit',
    'post-commit',
    'post-checkout',
    'post-index-change',
    'reference-transaction',
  ]) {
    await putFiles(hooks, { [hook]: `#!/bin/sh\ntouch '${join(marks, `git-${hook}`)}'\n` });
    await chmod(join(hooks, hook), 0o755);
  }
  const settings = {
    'core.fsmonitor': `touch '${join(marks, 'git-fsmonitor')}'; false`,
    'filter.planted.smudge': `touch '${join(marks, 'git-smudge')}'; cat`,
    'filter.planted.clean': `touch '${join(marks, 'git-clean')}'; cat`,
    'uploadpack.packObjectsHook': `touch '${join(marks, 'git-pack')}'; exec "$@"`,
    'user.name': 'sentinel of a name',
  };
  for (const [key, value] of Object.entries(settings)) git(tree, 'config', key, value);
  return planted;
}

describe('of a repository of others', () => {
  test.each([false, true])(
    'nothing runs and nothing is said by itself, whether its settings are in effect or not (%s)',
    async (projectSettings) => {
      const { tree, marks } = await plantedForGit();
      const seen = join(await tempDir('given'), 'given.json');
      const { run, brief, house } = await runnerScene('');
      const settings = {
        path: process.execPath,
        args: [PROGRAM, '{model}', '{safety}', '{tree}', '{directory}', '{rules}'],
        env: { GIVEN: seen },
        projectSettings,
        mayBeFull: false,
      };
      const limits = { ...house.limits, repos: [tree], engineers: new Map([['command', settings] as const]) };
      const order = brief({
        workspace: { repo: tree, base: git(tree, 'rev-parse', 'HEAD'), subdir: 'sub' },
        engineer: { kind: 'command', model: 'a-model' },
        deny: [{ tool: 'shell_exec', match: 'rm *', form: 'rule', decision: 'deny', origin: 'recipe' }],
        verify: [{ key: 'test', argv: ['/bin/sh', '-c', 'grep -qx work work.txt'] }],
      });
      const ran = await run(order, { house: { limits } });
      expect(ran.result).toMatchObject({
        status: 'completed',
        message: 'it is done',
        changed: ['sub/work.txt'],
        verify: [{ key: 'test', outcome: 'passed' }],
      });
      expect(await marks()).toEqual([]);

      const given: Given = JSON.parse(await readFile(seen, 'utf8'));
      const { argv, cwd, beside, home, stdin } = given;
      const checkout = join(cwd, '..');
      expect(argv.slice(2)).toEqual([
        'a-model',
        'non-destructive',
        checkout,
        cwd,
        join(given.env['HOME'] ?? '', 'rules.json'),
      ]);
      expect(Object.keys(home)).toEqual(['rules.json']);
      expect(stdin).toContain('Add a line to the file.');
      // It works where the planted files are, and is given none of their words.
      expect(beside).toEqual(expect.arrayContaining(['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']));
      const transcript = await readFile(ran.result.transcript?.path ?? '', 'utf8');
      expect(transcript.startsWith(stdin)).toBe(true);
      for (const text of [JSON.stringify(given), transcript, JSON.stringify(ran.lines), ran.waiting.text]) {
        expect(text).not.toMatch(/sentinel/i);
      }
    },
  );

  test('what is planted works, where an ordinary git steps into it', async () => {
    const { tree, marks } = await plantedForGit();
    await putFiles(tree, { 'more.md': 'changed\n' });
    commitAll(tree, 'more');
    git(tree, 'checkout', '--quiet', 'HEAD^');
    expect(await marks()).toEqual([
      'git-clean',
      'git-fsmonitor',
      'git-post-checkout',
      'git-post-commit',
      'git-post-index-change',
      'git-pre-commit',
      'git-reference-transaction',
      'git-smudge',
    ]);
  });
});
