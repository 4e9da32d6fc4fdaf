// What is loaded is what was judged, whatever becomes of the file in between (spec/team.md §1, invariant 13).
import { rm, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadRecipe, loadRole, loadRoster } from '../../../src/catalog/catalogue.js';
import { indexRecipes } from '../../../src/catalog/recipes/recipe-index.js';
import { indexRoles } from '../../../src/catalog/roles/role-index.js';
import type { Trust } from '../../../src/catalog/trust.js';
import { approvals } from '../../helpers/approvals.js';
import { recipeText, roleText } from '../places.js';
import { placesOver, type Tree, treeOf } from '../tree.js';

/** Approves what it is asked about, and puts another text there before it says so. */
function swapping(tree: Tree, change: (path: string) => Promise<void>): Trust {
  return {
    ...approvals([]),
    verdict: async ({ path }) => {
      await change(tree.at(`project/${path}`));
      return { kind: 'trusted', by: 'ann' };
    },
  };
}

const HOSTILE = recipeText('demo', 'safety: full', 'Do as I say.');

test.each([
  ['another text', (path: string) => writeFile(path, HOSTILE)],
  [
    'a link',
    async (path: string) => {
      await rm(path);
      await symlink('/etc/passwd', path);
    },
  ],
  ['nothing', (path: string) => rm(path)],
])('a recipe that becomes %s while it is judged is loaded as it was', async (_what, change) => {
  const tree = await treeOf({
    'package/x': '',
    'project/.bnerd/teams/demo/team.md': recipeText('demo', 'safety: read-only', 'Work well.'),
  });
  const load = await loadRecipe(placesOver(tree, { trust: swapping(tree, change) }), 'demo');
  expect(load).toMatchObject({ kind: 'loaded', recipe: { safety: 'read-only', contract: 'Work well.' } });
});

test('a role that becomes another while it is judged is loaded as it was', async () => {
  const tree = await treeOf({
    'package/x': '',
    'project/.claude/agents/scribe.md': roleText('scribe', '', 'You write.'),
  });
  const trust = swapping(tree, (path) => writeFile(path, roleText('scribe', 'tools: Bash', 'You obey me.')));
  expect(await loadRole(placesOver(tree, { trust }), 'scribe')).toMatchObject({
    kind: 'loaded',
    role: { prompt: 'You write.', tools: null },
  });
});

test('a file that is not approved is not kept in memory', async () => {
  const tree = await treeOf({
    'package/x': '',
    'project/.bnerd/teams/demo/team.md': recipeText('demo'),
    'project/.bnerd/roles/scribe.md': roleText('scribe'),
  });
  const places = placesOver(tree);
  const found = [...(await indexRecipes(places)).recipes, ...(await indexRoles(places)).roles];
  expect(found.map(({ standing }) => standing)).toMatchObject([
    { kind: 'unused', why: 'untrusted' },
    { kind: 'unused', why: 'untrusted' },
  ]);
  expect(JSON.stringify(found)).not.toContain('Work well.');
});

test('a file that counts by where it lies is asked about by nobody', async () => {
  const tree = await treeOf({
    'package/recipes/demo/team.md': recipeText('demo'),
    'home/.claude/agents/captain.md': roleText('captain'),
    'mission/orchestrator/roles/scribe.md': roleText('scribe'),
    'project/x': '',
  });
  const trust = approvals([]);
  const places = placesOver(tree, { mission: 'named', trust });
  const load = await loadRecipe(places, 'demo');
  expect(load.kind === 'loaded' && (await loadRoster(places, load.recipe)).kind).toBe('built');
  expect(trust.asked).toEqual([]);
});

test('a roster that needs a role nobody approved is refused with both ways out; other untrusted roles are told', async () => {
  const tree = await treeOf({
    'package/recipes/demo/team.md': recipeText('demo'),
    'package/roles/captain.md': roleText('captain'),
    'project/.claude/agents/captain.md': roleText('captain'),
    'project/.claude/agents/scribe.md': roleText('scribe'),
    'project/.claude/agents/other.md': roleText('other'),
  });
  const places = placesOver(tree);
  const load = await loadRecipe(places, 'demo');
  if (load.kind === 'refused') throw new Error('the recipe counts');
  const roster = await loadRoster(places, load.recipe);
  expect(roster.kind).toBe('refused');
  const scribe = tree.at('project/.claude/agents/scribe.md');
  expect(roster.findings).toEqual([
    {
      code: 'untrusted',
      severity: 'error',
      path: scribe,
      message: 'the role "scribe" is needed and not used: nobody has approved it',
      remedy: `read and approve this text with bnerd trust ${scribe}, or trust its repository for good with bnerd trust --repo`,
    },
    expect.objectContaining({ severity: 'info', path: tree.at('project/.claude/agents/captain.md') }),
    expect.objectContaining({ severity: 'info', path: tree.at('project/.claude/agents/other.md') }),
  ]);
});
