// From configuration to places: which mission counts as named, whose word counts, where state may lie (spec/team.md §1).
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadRecipe, loadRole } from '../../src/catalog/catalogue.js';
import { type OpenedPlaces, openPlaces, type PlacesRequest } from '../../src/catalog/open-places.js';
import type { CataloguePlaces } from '../../src/catalog/tiers.js';
import { commitAll, git } from '../helpers/repository.js';
import { recipeText, roleText } from './places.js';
import { FOLDER, type Node, type Tree, treeOf } from './tree.js';
import { BY } from './trust/trusting.js';

const PATH = process.env['PATH'] ?? '';

async function trees(nodes: Readonly<Record<string, Node>>): Promise<Tree> {
  return treeOf({ 'package/recipes/x': '', 'home/.bnerd': FOLDER, ...nodes });
}

function opened(tree: Tree, from: string, more: Partial<PlacesRequest> = {}): Promise<OpenedPlaces> {
  return openPlaces({
    packageRoot: tree.at('package'),
    workingDirectory: tree.at(from),
    userHome: tree.at('home'),
    bnerdHome: null,
    mission: null,
    trustFiles: [],
    gitPath: PATH,
    ...more,
  });
}

async function placesOf(...request: Parameters<typeof opened>): Promise<CataloguePlaces> {
  const result = await opened(...request);
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.findings));
  return result.places;
}

async function trustFile(path: string, content: Record<string, unknown>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, stringify({ version: 1, ...content }), { mode: 0o600 });
}

describe('the mission repository', () => {
  const mission = {
    'mission/.bnerd/context.md': 'x',
    'mission/orchestrator/teams/demo/team.md': recipeText('demo'),
    'mission/work': FOLDER,
  };

  test('counts when it was named, and not when it was found', async () => {
    const tree = await trees(mission);
    const found = await placesOf(tree, 'mission/work');
    expect(found.mission).toEqual({ path: tree.at('mission'), named: false });
    expect(await loadRecipe(found, 'demo')).toMatchObject({ kind: 'refused' });
    const named = await placesOf(tree, 'mission/work', { mission: tree.at('mission') });
    expect(named.mission).toEqual({ path: tree.at('mission'), named: true });
    expect(await loadRecipe(named, 'demo')).toMatchObject({ kind: 'loaded', recipe: { tier: 'mission' } });
  });

  test('that was named is the only one: none is looked for', async () => {
    const tree = await trees({ ...mission, 'other/orchestrator': FOLDER });
    const places = await placesOf(tree, 'mission/work', { mission: tree.at('other') });
    expect(places.mission).toEqual({ path: tree.at('other'), named: true });
  });

  test('counts as named where the operator trusts its place; its own trust file is not heard on that', async () => {
    const tree = await trees(mission);
    const root_commit = commitAll(tree.at('mission'), 'a mission');
    const places = [{ path: tree.at('mission'), root_commit, ...BY }];
    await trustFile(tree.at('mission/orchestrator/trust.yaml'), { places });
    commitAll(tree.at('mission'), 'speaks for itself');
    expect((await placesOf(tree, 'mission/work')).mission).toMatchObject({ named: false });
    await trustFile(tree.at('home/.bnerd/trust.yaml'), { places });
    const path = tree.at('mission');
    expect((await placesOf(tree, 'mission/work')).mission).toEqual({ path, named: true, byPlace: true });
    // Who names it does not rest on that.
    expect((await placesOf(tree, 'mission/work', { mission: path })).mission).toEqual({ path, named: true });
  });

  test('has the commit it stands on, and none without git', async () => {
    const tree = await trees(mission);
    const commit = async () => {
      const result = await opened(tree, 'mission/work', { mission: tree.at('mission') });
      return result.kind === 'open' ? result.missionCommit() : undefined;
    };
    expect(await commit()).toBeNull();
    expect(await commit()).toBeNull();
    const head = commitAll(tree.at('mission'), 'a mission');
    expect(await commit()).toBe(head);
  });

  test('that was named approves project files elsewhere by the trust file of its commit', async () => {
    const tree = await trees({
      ...mission,
      'app/.bnerd/roles/scribe.md': roleText('scribe'),
    });
    const root_commit = commitAll(tree.at('app'), 'an app');
    const request = { mission: tree.at('mission') };
    const load = async () => loadRole(await placesOf(tree, 'app', request), 'scribe');
    const refused = await load();
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'untrusted' }] });
    const digest = (await import('../../src/catalog/files/file-digest.js')).catalogueDigest(
      'role',
      roleText('scribe'),
    );
    const path = '.bnerd/roles/scribe.md';
    const files = [{ kind: 'role', tier: 'project', path, root_commit, digest, ...BY }];
    await trustFile(tree.at('mission/orchestrator/trust.yaml'), { files });
    commitAll(tree.at('mission'), 'approved');
    expect(await load()).toMatchObject({ kind: 'loaded', role: { tier: 'project' } });
  });
});

describe('project files inside a named mission repository', () => {
  const nodes = {
    'mission/.claude/agents/boss.md': roleText('boss'),
    'mission/work/.bnerd/roles/scribe.md': roleText('scribe'),
    'mission/repos/app/.claude/agents/spy.md': roleText('spy'),
  };

  test.each(['with git', 'without'])('have its trust, %s', async (how) => {
    const tree = await trees(nodes);
    if (how === 'with git') git(tree.at('mission'), 'init', '--quiet');
    const places = await placesOf(tree, 'mission/work', { mission: tree.at('mission') });
    expect(await loadRole(places, 'scribe')).toMatchObject({ kind: 'loaded', role: { tier: 'project' } });
    expect((await loadRole(places, 'boss')).kind).toBe(how === 'with git' ? 'loaded' : 'refused');
  });

  test('have it not where they belong to a repository inside of it', async () => {
    const tree = await trees(nodes);
    git(tree.at('mission'), 'init', '--quiet');
    git(tree.at('mission/repos/app'), 'init', '--quiet');
    const places = await placesOf(tree, 'mission/repos/app', { mission: tree.at('mission') });
    expect(await loadRole(places, 'spy')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'untrusted' }],
    });
  });
});

describe('BNERD_HOME', () => {
  const nodes = { 'repo/.git': FOLDER, 'repo/app': FOLDER, 'repo/state': FOLDER };
  const refused = (tree: Tree, root: string) => ({
    kind: 'refused',
    findings: [
      {
        code: 'bad-value',
        severity: 'error',
        path: 'BNERD_HOME',
        message: expect.stringContaining(`allowed: a folder outside the repository ${tree.at(root)}`),
        remedy: expect.stringContaining('--mission-repo'),
      },
    ],
  });

  test('is refused inside the repository around the working directory', async () => {
    const tree = await trees(nodes);
    expect(await opened(tree, 'repo/app', { bnerdHome: tree.at('repo/state') })).toEqual(
      refused(tree, 'repo'),
    );
    expect(await opened(tree, 'repo/app', { bnerdHome: tree.at('state') })).toMatchObject({ kind: 'open' });
  });

  test('is refused inside a mission repository that was only found, whatever the state there says', async () => {
    const tree = await trees({
      'mission/.bnerd/context.md': 'x',
      'mission/work': FOLDER,
      'mission/state/trust.yaml': '',
    });
    const root_commit = commitAll(tree.at('mission'), 'a mission');
    const places = [{ path: tree.at('mission'), root_commit, ...BY }];
    await trustFile(tree.at('mission/state/trust.yaml'), { places });
    const bnerdHome = tree.at('mission/state');
    expect(await opened(tree, 'mission/work', { bnerdHome })).toEqual(refused(tree, 'mission'));
    expect(await opened(tree, 'mission/work', { bnerdHome, mission: tree.at('mission') })).toMatchObject({
      kind: 'open',
    });
    await trustFile(tree.at('home/.bnerd/trust.yaml'), { places });
    expect(await opened(tree, 'mission/work', { bnerdHome })).toMatchObject({ kind: 'open' });
  });

  test('is refused in a repository inside the named mission repository', async () => {
    const tree = await trees({
      'mission/.git': FOLDER,
      'mission/app/.git': FOLDER,
      'mission/app/work': FOLDER,
    });
    const request = { mission: tree.at('mission'), bnerdHome: tree.at('mission/app/state') };
    expect(await opened(tree, 'mission/app/work', request)).toEqual(refused(tree, 'mission/app'));
  });

  test('may lie in the home directory, also when that is a repository', async () => {
    const tree = await trees({ 'home/.git': FOLDER, 'home/src/app': FOLDER });
    const bnerdHome = tree.at('home/.config/bnerd');
    expect(await opened(tree, 'home/src/app', { bnerdHome })).toMatchObject({ kind: 'open' });
  });
});

describe('~/.bnerd as a link', () => {
  const nodes = {
    'repo/.git': FOLDER,
    'repo/app': FOLDER,
    'repo/state/trust.yaml': 'version: 1\n',
    'linked/.bnerd': { link: 'repo/state' },
    'elsewhere/x': '',
  } as const;

  test('into the repository around the working directory is refused, since a pull would change the word of the operator', async () => {
    const tree = await trees(nodes);
    const linked = { userHome: tree.at('linked') };
    expect(await opened(tree, 'repo/app', linked)).toMatchObject({
      kind: 'refused',
      findings: [
        {
          code: 'bad-value',
          path: '~/.bnerd',
          message: `it is a link to "${tree.at('repo/state')}", which is not allowed here; allowed: a folder outside the repository ${tree.at('repo')}`,
        },
      ],
    });
    expect(await opened(tree, 'elsewhere', linked)).toMatchObject({ kind: 'open' });
    const named = { ...linked, mission: tree.at('repo') };
    expect(await opened(tree, 'repo/app', named)).toMatchObject({ kind: 'open' });
  });

  test('into a repository does not say either that BNERD_HOME may lie there', async () => {
    const tree = await trees({
      'repo/app': FOLDER,
      'repo/state/x': '',
      'linked/.bnerd': { link: 'repo/state' },
    });
    const root_commit = commitAll(tree.at('repo'), 'a repository');
    await trustFile(tree.at('repo/state/trust.yaml'), {
      places: [{ path: tree.at('repo'), root_commit, ...BY }],
    });
    const more = { userHome: tree.at('linked'), bnerdHome: tree.at('repo/other') };
    expect(await opened(tree, 'repo/app', more)).toMatchObject({ kind: 'refused' });
  });
});

test('a trust file that was named and is not there is told to everybody', async () => {
  const tree = await trees({ 'repo/x': '' });
  const places = await placesOf(tree, 'repo', { trustFiles: [tree.at('nowhere.yaml')] });
  expect(await places.trust.findings()).toMatchObject([
    { severity: 'error', path: tree.at('nowhere.yaml'), message: expect.stringContaining('does not exist') },
  ]);
});

test('no trust file is touched before somebody asks, and what is wrong with it is told afterwards', async () => {
  const tree = await trees({
    'repo/.bnerd/roles/scribe.md': roleText('scribe'),
    'home/.bnerd/trust.yaml': 'version: [',
  });
  const places = await placesOf(tree, 'repo');
  expect(await places.trust.findings()).toEqual([]);
  expect(await loadRole(places, 'scribe')).toMatchObject({ kind: 'refused' });
  expect(await places.trust.findings()).toMatchObject([
    { severity: 'error', path: tree.at('home/.bnerd/trust.yaml') },
  ]);
});
