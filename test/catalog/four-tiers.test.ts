// spec/team.md §1, spec/skills.md §3: the later tier wins among trusted files, and an untrusted one hides nothing.
import { describe, expect, test } from 'vitest';
import { listRecipes, listRoles, loadRecipe, loadRole } from '../../src/catalog/catalogue.js';
import type { Tier } from '../../src/catalog/tiers.js';
import { approvals } from '../helpers/approvals.js';
import { recipeText, roleText } from './places.js';
import { type Node, placesOver, treeOf } from './tree.js';

type Project = 'absent' | 'untrusted' | 'approved';
type Mission = 'absent' | 'found' | 'approved' | 'named';

interface Situation {
  readonly builtin: boolean;
  readonly global: boolean;
  readonly project: Project;
  readonly mission: Mission;
}

const SITUATIONS: readonly Situation[] = [false, true].flatMap((builtin) =>
  [false, true].flatMap((global) =>
    (['absent', 'untrusted', 'approved'] as const).flatMap((project) =>
      (['absent', 'found', 'approved', 'named'] as const).map((mission) => ({
        builtin,
        global,
        project,
        mission,
      })),
    ),
  ),
);

const FILES = {
  recipe: {
    builtin: 'package/recipes/demo/team.md',
    global: 'home/.bnerd/teams/demo/team.md',
    project: 'project/.bnerd/teams/demo/team.md',
    mission: 'mission/orchestrator/teams/demo/team.md',
  },
  role: {
    builtin: 'package/roles/demo.md',
    global: 'home/.claude/agents/demo.md',
    project: 'project/.claude/agents/demo.md',
    mission: 'mission/orchestrator/roles/demo.md',
  },
} as const;

/** The tiers that hold a file, and those whose file counts, from strongest to weakest: written out by hand. */
function expected({ builtin, global, project, mission }: Situation): { counts: Tier[]; untrusted: Tier[] } {
  const counts: Tier[] = [];
  const untrusted: Tier[] = [];
  if (mission === 'named' || mission === 'approved') counts.push('mission');
  if (mission === 'found') untrusted.push('mission');
  if (project === 'approved') counts.push('project');
  if (project === 'untrusted') untrusted.push('project');
  if (global) counts.push('global');
  if (builtin) counts.push('builtin');
  return { counts, untrusted };
}

async function placesIn(situation: Situation, kind: 'recipe' | 'role') {
  const there = (tier: Tier): boolean => situation[tier] !== false && situation[tier] !== 'absent';
  const text = (tier: Tier): string =>
    (kind === 'recipe' ? recipeText('demo') : roleText('demo')).replace(
      /^description: .*/m,
      `description: ${tier}`,
    );
  const tiers = (['builtin', 'global', 'project', 'mission'] as const).filter(there);
  const nodes: Record<string, Node> = { package: { folder: true }, project: { folder: true } };
  for (const tier of tiers) nodes[FILES[kind][tier]] = text(tier);
  const tree = await treeOf(nodes);
  const inside = (tier: 'project' | 'mission'): string => FILES[kind][tier].slice(`${tier}/`.length);
  const trust = approvals([
    ...(situation.project === 'approved' ? [inside('project')] : []),
    ...(situation.mission === 'approved' ? [inside('mission')] : []),
  ]);
  const mission =
    situation.mission === 'absent'
      ? {}
      : ({ mission: situation.mission === 'named' ? 'named' : 'found' } as const);
  return { tree, places: placesOver(tree, { ...mission, trust }) };
}

test.each(SITUATIONS)(
  'recipes: builtin $builtin, global $global, project $project, mission $mission',
  async (situation) => {
    const { tree, places } = await placesIn(situation, 'recipe');
    const { counts, untrusted } = expected(situation);
    const [used, ...shadowed] = counts;
    const { recipes, findings } = await listRecipes(places);
    const winner = used === undefined ? null : tree.at(FILES.recipe[used]);
    expect(recipes.map(({ tier, trust, shadowedBy }) => [tier, trust, shadowedBy])).toEqual([
      ...(used === undefined ? [] : [[used, 'trusted', null]]),
      ...[...shadowed, ...untrusted]
        .sort((one, other) => RANK.indexOf(other) - RANK.indexOf(one))
        .map((tier) => (untrusted.includes(tier) ? [tier, 'untrusted', null] : [tier, 'trusted', winner])),
    ]);
    expect(findings.map(({ code, path }) => [code, path])).toEqual(
      untrusted.map((tier) => ['untrusted', tree.at(FILES.recipe[tier])]),
    );
    const load = await loadRecipe(places, 'demo');
    if (used !== undefined) {
      expect(load).toMatchObject({ kind: 'loaded', recipe: { tier: used, description: used, path: winner } });
      expect(load.findings.map(({ code }) => code)).toEqual(untrusted.map(() => 'untrusted'));
    } else if (untrusted[0] !== undefined) {
      expect(load.kind).toBe('refused');
      expect(load.findings.filter(({ path }) => path === load.findings[0]?.path)).toHaveLength(1);
      expect(load.findings[0]).toMatchObject({
        code: 'untrusted',
        severity: 'error',
        path: tree.at(FILES.recipe[untrusted[0]]),
        message: 'the recipe "demo" is needed and not used: nobody has approved it',
        remedy: expect.stringMatching(/bnerd trust \/.*or trust its repository .* bnerd trust --repo/),
      });
    } else {
      expect(load).toMatchObject({ kind: 'refused', findings: [{ code: 'unknown-recipe' }] });
    }
  },
);

const RANK: readonly Tier[] = ['builtin', 'global', 'project', 'mission'];

test.each(SITUATIONS)(
  'roles: builtin $builtin, global $global, project $project, mission $mission',
  async (situation) => {
    const { tree, places } = await placesIn(situation, 'role');
    const { counts, untrusted } = expected(situation);
    const [used] = counts;
    const { roles } = await listRoles(places);
    expect(roles.filter(({ trust, shadowedBy }) => trust === 'trusted' && shadowedBy === null)).toMatchObject(
      used === undefined ? [] : [{ tier: used, description: used }],
    );
    expect(roles.filter(({ trust }) => trust === 'untrusted').map(({ tier }) => tier)).toEqual(untrusted);
    const load = await loadRole(places, 'demo');
    if (used !== undefined)
      expect(load).toMatchObject({ kind: 'loaded', role: { tier: used, description: used } });
    else {
      expect(load).toMatchObject({
        kind: 'refused',
        findings: [{ code: untrusted.length === 0 ? 'unknown-role' : 'untrusted', severity: 'error' }],
      });
    }
    if (used === undefined && untrusted[0] !== undefined)
      expect(load.findings[0]?.path).toBe(tree.at(FILES.role[untrusted[0]]));
  },
);

describe('inside the project tier', () => {
  const folders = ['project', 'project/app', 'project/app/web'];

  test('the nearest approved file wins, whatever lies nearer and is not approved', async () => {
    const at = (folder: string): string => `${folder}/.claude/agents/scribe.md`;
    const tree = await treeOf(
      Object.fromEntries([
        ['package', { folder: true } as const],
        ...folders.map(
          (folder) => [at(folder), roleText('scribe').replace('The scribe of the team', folder)] as const,
        ),
      ]),
    );
    const trust = approvals(['.claude/agents/scribe.md', 'app/.claude/agents/scribe.md']);
    const places = placesOver(tree, { folders, trust });
    expect(await loadRole(places, 'scribe')).toMatchObject({ role: { description: 'project/app' } });
    const { roles } = await listRoles(places);
    expect(roles.map(({ description, trust: word, shadowedBy }) => [description, word, shadowedBy])).toEqual([
      ['project/app', 'trusted', null],
      ['project/app/web', 'untrusted', null],
      ['project', 'trusted', tree.at(at('project/app'))],
    ]);
  });

  test('an approval is asked for by kind, tier, root, path with "/" and the digest of the whole file', async () => {
    const tree = await treeOf({
      'package/x': '',
      'project/app/.bnerd/teams/demo/team.md': recipeText('demo'),
      'project/app/.bnerd/roles/deep/scribe.md': roleText('scribe'),
    });
    const trust = approvals([]);
    const places = placesOver(tree, { folders, trust });
    await listRecipes(places);
    await listRoles(places);
    expect(trust.asked).toMatchObject([
      { kind: 'recipe', tier: 'project', root: tree.at('project'), path: 'app/.bnerd/teams/demo/team.md' },
      { kind: 'role', tier: 'project', root: tree.at('project'), path: 'app/.bnerd/roles/deep/scribe.md' },
    ]);
    // The digests of what is approved are those of what is recorded.
    const approved = placesOver(tree, {
      folders,
      trust: approvals(trust.asked.map(({ path, kind, digest }) => ({ path, kind, digest }))),
    });
    expect(await loadRecipe(approved, 'demo')).toMatchObject({ recipe: { digest: trust.asked[0]?.digest } });
    expect(await loadRole(approved, 'scribe')).toMatchObject({ role: { digest: trust.asked[1]?.digest } });
  });

  test('a revoked file and one that has changed are not used and say why', async () => {
    const tree = await treeOf({
      'package/x': '',
      'project/.bnerd/roles/gone.md': roleText('gone'),
      'project/.bnerd/roles/edited.md': roleText('edited'),
    });
    const trust = approvals(
      [{ path: '.bnerd/roles/edited.md', digest: '1:other' }],
      ['.bnerd/roles/gone.md'],
    );
    const { roles, findings } = await listRoles(placesOver(tree, { trust }));
    expect(roles.map(({ name, trust: word }) => [name, word])).toEqual([
      ['edited', 'untrusted'],
      ['gone', 'revoked'],
    ]);
    expect(findings.map(({ message }) => message)).toEqual([
      'not used: it has changed since it was approved',
      'not used: its approval was revoked by bob',
    ]);
  });
});

describe('files that cannot be read', () => {
  test('a broken file that is approved, or counts by its place, still holds its name', async () => {
    const nodes = {
      'package/recipes/demo/team.md': recipeText('demo'),
      'package/roles/scribe.md': roleText('scribe'),
      'project/.bnerd/teams/demo/team.md': '---\nname: [\n---\n',
      'project/.bnerd/roles/scribe.md': 'no frontmatter',
      'home/.bnerd/teams/demo/team.md': '---\nname: [\n---\n',
    };
    const tree = await treeOf(nodes);
    const trust = approvals(['.bnerd/teams/demo/team.md', '.bnerd/roles/scribe.md']);
    const places = placesOver(tree, { trust });
    expect(await loadRecipe(places, 'demo')).toMatchObject({
      kind: 'refused',
      findings: [{ path: tree.at('project/.bnerd/teams/demo/team.md') }],
    });
    expect(await loadRole(places, 'scribe')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'no-frontmatter', path: tree.at('project/.bnerd/roles/scribe.md') }],
    });
    expect(await loadRecipe(placesOver(tree), 'demo')).toMatchObject({
      kind: 'refused',
      findings: [{ path: tree.at('home/.bnerd/teams/demo/team.md') }, { code: 'untrusted' }],
    });
  });

  test('a broken file that nobody approved hides nothing, and one line is said of it', async () => {
    const tree = await treeOf({
      'package/roles/scribe.md': roleText('scribe'),
      'project/.bnerd/roles/scribe.md': '---\nname: [\n---\n',
      'project/.claude/agents/scribe.md': { link: '/etc/hostname' },
      'project/.claude/agents/Scribe.md': '\0',
    });
    const places = placesOver(tree, { trust: approvals(['.claude/agents/scribe.md']) });
    expect(await loadRole(places, 'scribe')).toMatchObject({ kind: 'loaded', role: { tier: 'builtin' } });
    expect((await listRoles(places)).findings.map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'untrusted'),
    );
  });

  test('links may stay inside the root, and lead nowhere out of it: file, slug folder, place', async () => {
    const outside = await treeOf({ 'spy.md': roleText('spy'), 'team/team.md': recipeText('spy') });
    const tree = await treeOf({
      'package/x': '',
      'project/shared/inner.md': roleText('inner'),
      'project/shared/demo/team.md': recipeText('demo'),
      'project/.bnerd/roles/inner.md': { link: 'project/shared/inner.md' },
      'project/.bnerd/roles/spy.md': { link: outside.at('spy.md') },
      'project/.bnerd/teams/demo': { link: 'project/shared/demo' },
      'project/.bnerd/teams/spy': { link: outside.at('team') },
      'project/.claude/agents': { link: outside.root },
    });
    const trust = approvals([
      '.bnerd/roles/inner.md',
      '.bnerd/roles/spy.md',
      '.bnerd/teams/demo/team.md',
      '.bnerd/teams/spy/team.md',
    ]);
    const places = placesOver(tree, { trust });
    const { roles, findings } = await listRoles(places);
    expect(roles.map(({ name, trust: word }) => [name, word])).toEqual([
      ['inner', 'trusted'],
      ['spy', 'untrusted'],
    ]);
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['link-leads-out', tree.at('project/.claude/agents')],
      ['untrusted', tree.at('project/.bnerd/roles/spy.md')],
    ]);
    expect(await loadRecipe(places, 'demo')).toMatchObject({ kind: 'loaded' });
    expect(await loadRecipe(places, 'spy')).toMatchObject({
      findings: [{ code: 'untrusted', severity: 'error' }],
    });
  });
});

test('in a place that is trusted for good a file that cannot be read still holds its name', async () => {
  const tree = await treeOf({
    'package/roles/scribe.md': roleText('scribe'),
    'project/.bnerd/roles/scribe.md': '\0',
  });
  const trust = { ...approvals([]), placeTrusted: async (root: string) => root === tree.at('project') };
  expect(await loadRole(placesOver(tree, { trust }), 'scribe')).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'not-text', path: tree.at('project/.bnerd/roles/scribe.md') }],
  });
});

test('the trust file of a mission repository that was only found is named', async () => {
  const tree = await treeOf({
    'package/x': '',
    'project/x': '',
    'mission/orchestrator/trust.yaml': 'version: 1',
  });
  expect((await listRecipes(placesOver(tree, { mission: 'found' }))).findings).toMatchObject([
    { code: 'untrusted', severity: 'info', path: tree.at('mission/orchestrator/trust.yaml') },
  ]);
  expect((await listRecipes(placesOver(tree, { mission: 'named' }))).findings).toEqual([]);
});

test('an operator without folders of their own has nothing to mend', async () => {
  const tree = await treeOf({ 'package/roles/scribe.md': roleText('scribe'), 'project/x': '' });
  expect((await listRecipes(placesOver(tree))).findings).toEqual([]);
  expect((await listRoles(placesOver(tree))).findings).toEqual([]);
});
