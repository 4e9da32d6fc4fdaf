// A tree of strangers is looked through at every start: how much of it, and what is said of the rest.
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { listRecipes, listRoles, loadRole, loadRoles } from '../../../src/catalog/catalogue.js';
import { findRoleFiles } from '../../../src/catalog/files/find-files.js';
import { approvals } from '../../helpers/approvals.js';
import { recipeText, roleText } from '../places.js';
import { FOLDER, placesOver, type Tree, treeOf } from '../tree.js';

async function manyRoles(count: number, folder: string): Promise<Tree> {
  const tree = await treeOf({ 'package/roles/scribe.md': roleText('scribe'), [`${folder}/x`]: '' });
  const text = roleText('NAME', 'tools: Read', 'x'.repeat(4_000));
  for (let start = 0; start < count; start += 200) {
    const some = Array.from({ length: Math.min(200, count - start) }, (_, index) => `role-${start + index}`);
    await Promise.all(
      some.map((name) => writeFile(tree.at(`${folder}/${name}.md`), text.replace('NAME', name))),
    );
  }
  return tree;
}

test('2,000 roles of a project are all listed, and each is looked at once', async () => {
  const tree = await manyRoles(2_000, 'project/.claude/agents');
  const trust = approvals(['.claude/agents/role-1999.md']);
  const places = placesOver(tree, { trust });
  const { roles } = await listRoles(places);
  expect(roles).toHaveLength(2_001);
  expect(trust.asked).toHaveLength(2_000);
  expect(await loadRole(places, 'role-1999')).toMatchObject({ kind: 'loaded' });
});

test('of many untrusted files a hundred are named, those that matter first, and the others are counted', async () => {
  const tree = await manyRoles(130, 'project/.claude/agents');
  const { unused } = await loadRoles(placesOver(tree), ['role-99', 'scribe']);
  // role-99 is told by its refusal.
  expect(unused).toHaveLength(101);
  expect(unused.at(-1)).toMatchObject({ code: 'untrusted', severity: 'info', path: '29 more files' });
  await mkdir(tree.at('project/.bnerd/roles'), { recursive: true });
  await writeFile(tree.at('project/.bnerd/roles/zz.md'), roleText('scribe'));
  const again = await loadRoles(placesOver(tree), ['scribe']);
  expect(again.unused[0]?.path).toBe(tree.at('project/.bnerd/roles/zz.md'));
});

describe('bounds of a place', () => {
  test('files beyond the number are said to be left out, and the rest is there', async () => {
    const tree = await manyRoles(5_001, 'package/roles');
    const { roles, findings } = await listRoles({ ...placesOver(tree), project: null });
    expect(roles).toHaveLength(5_000);
    expect(findings).toMatchObject([
      {
        code: 'too-many-files',
        severity: 'warning',
        path: tree.at('package/roles'),
        message: 'the place holds more than 5000 files; what lies beyond is not looked at',
      },
    ]);
  });

  test('folders are walked to a depth, level by level, and the first that is left out is named', async () => {
    const deep = (levels: number): string => `package/roles${'/d'.repeat(levels)}`;
    const tree = await treeOf({
      [`${deep(15)}/near.md`]: roleText('near'),
      [`${deep(16)}/far.md`]: roleText('far'),
      'project/x': '',
    });
    const { roles, findings } = await listRoles(placesOver(tree));
    expect(roles.map(({ name }) => name)).toEqual(['near']);
    expect(findings).toMatchObject([
      {
        code: 'too-many-files',
        path: tree.at(deep(16)),
        message: expect.stringContaining('16 levels of folders'),
      },
    ]);
  });

  test('links that lead round in circles end, and nothing is found twice', async () => {
    const tree = await treeOf({
      'project/.bnerd/roles/a/scribe.md': roleText('scribe'),
      'project/.bnerd/roles/a/up': { link: 'project/.bnerd/roles' },
      'project/.bnerd/roles/b': { link: 'project/.bnerd/roles/a' },
      'project/.bnerd/roles/self': { link: 'project/.bnerd/roles/self' },
      'package/x': '',
    });
    const [place] = placesIn(tree);
    const { files, findings } = await findRoleFiles(place);
    expect(files.map(({ path }) => path)).toEqual([tree.at('project/.bnerd/roles/a/scribe.md')]);
    expect(findings).toEqual([]);
  });

  test('a place that is a file, or lies behind one, is told and hides nothing', async () => {
    const tree = await treeOf({
      'package/recipes/demo/team.md': recipeText('demo'),
      'project/.bnerd': 'a file',
      'project/.claude/agents': 'a file',
      'package/roles': FOLDER,
    });
    expect(await listRecipes(placesOver(tree))).toMatchObject({
      recipes: [{ slug: 'demo' }],
      findings: [{ code: 'unreadable-folder', path: tree.at('project/.bnerd/teams') }],
    });
    expect((await listRoles(placesOver(tree))).findings.map(({ path }) => path)).toEqual([
      tree.at('project/.claude/agents'),
      tree.at('project/.bnerd/roles'),
    ]);
  });
});

function placesIn(tree: Tree) {
  const place = {
    tier: 'project' as const,
    tree: 'bnerd' as const,
    root: tree.at('project'),
    folder: tree.at('project/.bnerd/roles'),
    approval: null,
  };
  return [place] as const;
}

test('of an untrusted file no more is read than a listing shows, whatever a parser would make of it', async () => {
  const endless = `name: other\ndescription: "a\\tb"\nx: [${'a,'.repeat(7_000)}a]`;
  const tree = await treeOf({
    'project/.claude/agents/plain.md': roleText('scribe'),
    'project/.claude/agents/stem.md': `---\nname: "a\\tb"\ndescription: plain\n---\nBody.\n`,
    'project/.claude/agents/long.md': `---\n${endless}\n---\nBody.\n`,
    'project/.claude/agents/longer.md': `---\nname: hidden\nx: ${'y'.repeat(20_000)}\n---\nBody.\n`,
    'project/.bnerd/teams/demo/team.md': `---\ndescription: "a\\tb"\n---\nBody.\n`,
  });
  const { roles } = await listRoles(placesOver(tree));
  const listed = roles.map(({ name, description }) => [name, description]);
  expect(listed.sort()).toEqual([
    ['longer', null],
    ['other', null],
    ['scribe', 'The scribe of the team'],
    ['stem', 'plain'],
  ]);
  const { recipes } = await listRecipes(placesOver(tree));
  expect(recipes).toMatchObject([{ slug: 'demo', description: null, trust: 'untrusted' }]);
});

test('of many remarks on one place fifty are given, and the others are counted', async () => {
  const tree = await treeOf({ 'project/.bnerd/teams/demo/team.md': recipeText('demo') });
  for (let count = 0; count < 70; count++) {
    await mkdir(tree.at(`project/.bnerd/teams/BAD ${count}`), { recursive: true });
    await writeFile(tree.at(`project/.bnerd/teams/BAD ${count}/team.md`), '');
  }
  const { recipes, findings } = await listRecipes(placesOver(tree));
  expect(recipes).toHaveLength(1);
  expect(findings.filter(({ code }) => code === 'bad-slug')).toHaveLength(50);
  expect(findings).toContainEqual(expect.objectContaining({ message: '20 more remarks on this place' }));
});

test('who loads a role or a recipe is told of a place of which not all was looked at: there may be an approved one', async () => {
  const deep = Array.from({ length: 17 }, () => 'x').join('/');
  const tree = await treeOf({
    'package/roles/captain.md': roleText('captain'),
    [`project/.bnerd/roles/${deep}/captain.md`]: roleText('captain'),
  });
  const places = placesOver(tree, { trust: approvals([`.bnerd/roles/${deep}/captain.md`]) });
  const { unused, byIdentity } = await loadRoles(places, ['captain']);
  expect(byIdentity.get('captain')).toMatchObject({ kind: 'loaded', role: { tier: 'builtin' } });
  expect(unused).toMatchObject([{ code: 'too-many-files', severity: 'warning' }]);
});
