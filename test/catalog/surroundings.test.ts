// Which repository is the project and which the mission (spec/skills.md §3), told from real directories.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMission, findProject, operatorFolders } from '../../src/catalog/surroundings.js';
import { FOLDER, type Tree, treeOf } from './tree.js';

const operator = (tree: Tree, bnerd = tree.at('home/.bnerd')) => operatorFolders(bnerd, tree.at('home'));

describe('the project', () => {
  test.each([
    [
      'reaches up to the nearest .git',
      { 'repo/.git': FOLDER, 'repo/a/b': FOLDER },
      'repo/a/b',
      'repo',
      ['repo', 'repo/a', 'repo/a/b'],
    ],
    [
      'is the working directory alone where there is no .git',
      { 'plain/a': FOLDER },
      'plain/a',
      'plain/a',
      ['plain/a'],
    ],
    [
      'is a work tree whose .git is a file',
      { 'tree/.git': 'gitdir: /elsewhere', 'tree/a': FOLDER },
      'tree/a',
      'tree',
      ['tree', 'tree/a'],
    ],
    [
      'is the inner one of two repositories',
      { 'outer/.git': FOLDER, 'outer/vendor/inner/.git': FOLDER, 'outer/vendor/inner/a': FOLDER },
      'outer/vendor/inner/a',
      'outer/vendor/inner',
      ['outer/vendor/inner', 'outer/vendor/inner/a'],
    ],
    [
      'ends at a .git that is a link in a circle',
      { 'odd/.git': { link: 'odd/.git' }, 'odd/a': FOLDER },
      'odd/a',
      'odd',
      ['odd', 'odd/a'],
    ],
  ])('%s', async (_what, nodes, from, root, folders) => {
    const tree = await treeOf({ home: FOLDER, ...nodes });
    expect(await findProject(tree.at(from), await operator(tree), null)).toEqual({
      root: tree.at(root),
      folders: folders.map(tree.at),
    });
  });

  test('of a home directory that is a repository is what lies in it, never the home directory', async () => {
    const tree = await treeOf({ 'home/.git': FOLDER, 'home/src/app': FOLDER });
    expect(await findProject(tree.at('home/src/app'), await operator(tree), null)).toEqual({
      root: tree.at('home'),
      folders: [tree.at('home/src'), tree.at('home/src/app')],
    });
    expect(await findProject(tree.at('home'), await operator(tree), null)).toBeNull();
  });

  test('in a named mission repository without git has the root of that, and is the working directory alone', async () => {
    const tree = await treeOf({ home: FOLDER, 'mission/work/a': FOLDER });
    expect(await findProject(tree.at('mission/work/a'), await operator(tree), tree.at('mission'))).toEqual({
      root: tree.at('mission'),
      folders: [tree.at('mission/work/a')],
    });
  });

  test('of a tree 300 folders deep has every one of them', async () => {
    const tree = await treeOf({ home: FOLDER, 'repo/.git': FOLDER });
    const deep = tree.at(`repo${'/d'.repeat(300)}`);
    await mkdir(deep, { recursive: true });
    const project = await findProject(deep, await operator(tree), null);
    expect(project?.folders).toHaveLength(301);
    expect(project?.folders.at(-1)).toBe(deep);
  });
});

describe('a mission repository that nobody named', () => {
  test('is the nearest folder upward with the mark, across repositories', async () => {
    const tree = await treeOf({
      home: FOLDER,
      'mission/.bnerd/context.md': 'x',
      'mission/.git': FOLDER,
      'mission/repos/app/.git': FOLDER,
      'mission/repos/own/.bnerd/context.md': 'x',
    });
    const found = async (from: string) => findMission(tree.at(from), await operator(tree));
    expect(await found('mission/repos/app')).toBe(tree.at('mission'));
    expect(await found('mission')).toBe(tree.at('mission'));
    await mkdir(tree.at('mission/repos/own/deep'));
    expect(await found('mission/repos/own/deep')).toBe(tree.at('mission/repos/own'));
    expect(await found('home')).toBeNull();
  });

  test("is never the operator's home or the folder of the operator's state", async () => {
    const tree = await treeOf({
      'home/.bnerd/context.md': 'x',
      'home/a': FOLDER,
      'srv/.bnerd/context.md': 'x',
      'srv/a': FOLDER,
    });
    expect(await findMission(tree.at('home/a'), await operator(tree))).toBeNull();
    expect(await findMission(tree.at('srv/a'), await operator(tree, tree.at('srv/.bnerd')))).toBeNull();
    expect(await findMission(tree.at('srv/a'), await operator(tree))).toBe(tree.at('srv'));
  });
});

test("the operator's folders are told by their real paths, so that a link to one is the same folder", async () => {
  const tree = await treeOf({ 'dotfiles/.claude/agents': FOLDER, home: FOLDER });
  await symlink(tree.at('dotfiles/.claude'), tree.at('home/.claude'));
  await symlink(tree.at('home'), tree.at('link'));
  const folders = await operatorFolders(join(tree.at('link'), '.bnerd'), tree.at('link'));
  expect(folders).toMatchObject({
    userHome: tree.at('home'),
    global: { claude: tree.at('dotfiles/.claude'), agents: tree.at('home/.agents') },
  });
});

test('what stands in the way of looking up is passed by', async () => {
  const tree = await treeOf({ home: FOLDER, 'a/b': FOLDER });
  await writeFile(tree.at('a/.bnerd'), 'a file where the mark would have its folder');
  expect(await findMission(tree.at('a/b'), await operator(tree))).toBeNull();
});
