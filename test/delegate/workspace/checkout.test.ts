import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOut } from '../../../src/delegate/workspace/checkout.js';
import { mirror } from '../../../src/delegate/workspace/mirror.js';
import { takePlaces } from '../../../src/delegate/workspace/places.js';
import { commitAll, git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import {
  BRANCH,
  makeWorkspace,
  runnerFolder,
  sourceRepository,
  spy,
  TOOLS,
  workspace,
} from '../../helpers/workspace.js';

test('a brief has a repository of its own on its branch, whole, clean, without a remote or a hook', async () => {
  const made = await workspace();
  const { tree, home } = made.places;
  expect(made.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
  expect(made.git('rev-parse', 'HEAD')).toBe(made.base);
  expect(made.git('status', '--porcelain')).toBe('');
  expect(made.git('log', '--format=%s')).toBe('second\nfirst');
  expect(made.git('for-each-ref', '--format=%(refname)')).toBe(`refs/heads/${BRANCH}`);
  expect(made.git('remote')).toBe('');
  expect(await readFile(join(tree, 'README.md'), 'utf8')).toBe('one\ntwo\n');
  expect(await readdir(join(tree, '.git'))).not.toContain('hooks');
  expect(await readdir(home)).toEqual([]);
  await writeFile(join(tree, 'new'), 'x');
  made.git('add', '.');
  // As an engineer without a name of its own in its environment.
  made.git('-c', 'user.useConfigOnly=true', 'commit', '--quiet', '-m', 'new');
  expect(made.git('config', 'user.email')).toBe('engineer@bnerd.invalid');
});

test('no object is shared: no other repository is named, and no file has a second name', async () => {
  const { places, given } = await workspace();
  const objects = join(places.tree, '.git', 'objects');
  expect(await readdir(join(objects, 'info'))).toEqual([]);
  expect(given).toHaveLength(1);
  for (const name of await readdir(join(objects, 'pack')))
    expect((await lstat(join(objects, 'pack', name))).nlink).toBe(1);
});

test('L226: a folder that is there is refused with its name, whoever made it, and stays as it is', async () => {
  const { settings, mirror: source, base, places } = await workspace();
  await writeFile(join(places.tree, 'mine'), 'x');
  const order = { source, commit: base, branch: BRANCH, subdir: '', workdir: settings.workdir };
  const again = await takePlaces(settings.workdir, 'run-feature-01.t1.a1.o1');
  expect(again).toMatchObject({ kind: 'taken', detail: expect.stringContaining('it is there already') });
  expect('kind' in again && again.detail).toContain(places.root);
  expect(await readFile(join(places.tree, 'mine'), 'utf8')).toBe('x');
  // Another team's brief on the same task of the same repository.
  const branch = 'bnerd/run-other-02/1-1';
  const other = await makeWorkspace({ ...order, branch, brief: 'run-other-02.t1.a1.o1' });
  expect(git(other.places.tree, 'branch', '--show-current')).toBe(branch);
  expect(await takePlaces(settings.workdir, '../escaped')).toMatchObject({ kind: 'failed' });
});

test('what a repository brings along runs nothing: filters, submodules, hooks', async () => {
  const trap = await tempDir('trap');
  const program = await spy(trap);
  const repo = await sourceRepository({
    '.gitattributes': '*.bin filter=lfs\n',
    'a.bin': 'version https://git-lfs.github.com/spec/v1\n',
    '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${trap}\n\tupdate = !${program}\n`,
    '.hooks/post-checkout': `#!/bin/sh\n${program} hook\n`,
  });
  git(repo, 'update-index', '--add', '--cacheinfo', `160000,${git(repo, 'rev-parse', 'HEAD')},s`);
  git(repo, 'commit', '--quiet', '-m', 'submodule');
  for (const key of ['filter.lfs.smudge', 'filter.lfs.process'])
    git(repo, 'config', key, `${program} filter`);
  git(repo, 'config', 'core.hooksPath', '.hooks');
  const settings = await runnerFolder();
  const base = git(repo, 'rev-parse', 'HEAD');
  const made = await mirror({ repo, base }, settings, TOOLS);
  if (made.kind !== 'ready') throw new Error(made.detail);
  const tree = join(settings.workdir, 'tree');
  const checked = await checkOut(
    { source: made.gitDir, commit: base, branch: BRANCH, tree, subdir: '' },
    TOOLS,
  );
  expect(checked).toMatchObject({ kind: 'made', directory: tree });
  expect(await readFile(join(tree, 'a.bin'), 'utf8')).toContain('git-lfs');
  expect(await readdir(join(tree, 's'))).toEqual([]);
  expect(await readdir(trap)).toEqual(['spy.sh']);
});

test('the folder to work in is one of the commit, not one that a link leads to', async () => {
  const repo = await sourceRepository();
  await symlink('/etc', join(repo, 'out'));
  await symlink('src', join(repo, 'in'));
  const base = commitAll(repo, 'links');
  const settings = await runnerFolder();
  const made = await mirror({ repo, base }, settings, TOOLS);
  if (made.kind !== 'ready') throw new Error(made.detail);
  const at = (subdir: string, place = subdir.replaceAll(/[^a-z]/g, '')) =>
    checkOut(
      { source: made.gitDir, commit: base, branch: BRANCH, tree: join(settings.workdir, place), subdir },
      TOOLS,
    );
  const src = await at('src');
  expect(src.kind === 'made' && src.directory.endsWith('/src/src')).toBe(true);
  for (const subdir of ['out', 'in', 'nowhere', 'README.md', 'src/../../x'])
    expect(await at(subdir), subdir).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('is no folder'),
    });
});
