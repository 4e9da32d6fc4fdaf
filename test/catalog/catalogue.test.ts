import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  listRecipes,
  listRoles,
  loadRecipe,
  loadRole,
  loadRoles,
  loadRoster,
} from '../../src/catalog/catalogue.js';
import { placesWith, recipeText, roleText } from './places.js';

describe('listing recipes', () => {
  test('shows slug, description, tier and path, in the order of the slugs', async () => {
    const places = await placesWith({
      'package/recipes/beta/team.md': recipeText('beta'),
      'package/recipes/alpha/team.md': recipeText('alpha').replace('What alpha does', '>-\n  Folded\n  text'),
      'package/recipes/notes.txt': 'no recipe',
      'package/recipes/empty/readme.md': 'no recipe',
      'package/recipes/.hidden/team.md': recipeText('hidden'),
    });
    expect(await listRecipes(places)).toEqual({
      recipes: [
        {
          slug: 'alpha',
          description: 'Folded text',
          tier: 'builtin',
          path: places.at('package/recipes/alpha/team.md'),
          trust: 'trusted',
          shadowedBy: null,
        },
        {
          slug: 'beta',
          description: 'What beta does',
          tier: 'builtin',
          path: places.at('package/recipes/beta/team.md'),
          trust: 'trusted',
          shadowedBy: null,
        },
      ],
      findings: [],
    });
  });

  test('a recipe of the mission beats the builtin one, which stays visible with the path of the winner', async () => {
    const places = await placesWith({
      'package/recipes/demo/team.md': recipeText('demo'),
      'mission/orchestrator/teams/demo/team.md': recipeText('demo').replace('What demo does', 'Ours'),
    });
    const winner = places.at('mission/orchestrator/teams/demo/team.md');
    expect((await listRecipes(places)).recipes).toMatchObject([
      { slug: 'demo', tier: 'mission', description: 'Ours', path: winner, shadowedBy: null },
      { slug: 'demo', tier: 'builtin', description: 'What demo does', shadowedBy: winner },
    ]);
    expect(await loadRecipe(places, 'demo')).toMatchObject({
      recipe: { tier: 'mission', description: 'Ours' },
    });
    expect(await loadRecipe({ ...places, mission: null }, 'demo')).toMatchObject({
      recipe: { tier: 'builtin' },
    });
  });

  test('one bad file among ten takes no other down, is listed without description and is named', async () => {
    const good = Object.fromEntries(
      [...'abcdefghi'].map((slug) => [`package/recipes/${slug}/team.md`, recipeText(slug)]),
    );
    const bad = recipeText('j').replace('What j does', 'Use: always');
    const places = await placesWith({ ...good, 'package/recipes/j/team.md': bad });
    const { recipes, findings } = await listRecipes(places);
    expect(recipes.map(({ slug, description }) => [slug, description !== null])).toEqual([
      ...[...'abcdefghi'].map((slug) => [slug, true]),
      ['j', false],
    ]);
    expect(findings).toMatchObject([
      { code: 'yaml-error', path: places.at('package/recipes/j/team.md'), line: 3 },
    ]);
    for (const slug of 'abcdefghi') expect(await loadRecipe(places, slug)).toMatchObject({ kind: 'loaded' });
  });

  test('a broken recipe of a stronger tier still holds its slug', async () => {
    const places = await placesWith({
      'package/recipes/demo/team.md': recipeText('demo'),
      'mission/orchestrator/teams/demo/team.md': 'nothing',
    });
    expect(
      (await listRecipes(places)).recipes.map(({ tier, shadowedBy }) => [tier, shadowedBy === null]),
    ).toEqual([
      ['mission', true],
      ['builtin', false],
    ]);
    expect(await loadRecipe(places, 'demo')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'no-frontmatter' }],
    });
  });

  test('a folder whose name is no slug, and a place that is missing or no folder, are named', async () => {
    const places = await placesWith({
      'package/recipes/My_Team/team.md': recipeText('x'),
      'mission/orchestrator/teams': 'a file',
    });
    expect((await listRecipes(places)).findings).toMatchObject([
      {
        code: 'bad-slug',
        path: places.at('package/recipes/My_Team/team.md'),
        message: expect.stringContaining('"My_Team" is no slug; a slug is a-z, 0-9 and "-"'),
        remedy: 'rename the folder',
      },
      { code: 'unreadable-folder', path: places.at('mission/orchestrator/teams') },
    ]);
    const missing = { ...places, mission: { path: places.at('nowhere'), named: true } };
    expect((await listRecipes(missing)).findings).toContainEqual({
      code: 'missing-place',
      severity: 'error',
      path: places.at('nowhere'),
      message: 'the folder of the mission tier does not exist',
      remedy: 'check the path',
    });
  });

  test('a description after more than 16 KiB of frontmatter is still read', async () => {
    const text = recipeText('demo').replace('name: demo', `x-notes: "${'é'.repeat(20_000)}"\nname: demo`);
    const places = await placesWith({ 'package/recipes/demo/team.md': text });
    expect((await listRecipes(places)).recipes).toMatchObject([{ description: 'What demo does' }]);
  });
});

describe('loading a recipe', () => {
  test('an unknown slug is refused with the known ones and the one that was probably meant', async () => {
    const places = await placesWith({
      'package/recipes/quickstart/team.md': recipeText('quickstart'),
      'package/recipes/review/team.md': recipeText('review'),
    });
    expect(await loadRecipe(places, 'quikstart')).toEqual({
      kind: 'refused',
      findings: [
        {
          code: 'unknown-recipe',
          severity: 'error',
          path: 'quikstart',
          message: 'there is no recipe "quikstart"',
          remedy: 'did you mean "quickstart"? known: quickstart, review',
        },
      ],
    });
    expect(await loadRecipe(places, 'zzzzzz')).toMatchObject({
      findings: [{ remedy: 'known: quickstart, review' }],
    });
  });

  test('an unknown slug is told from untrusted ones of nearly its name, of which some are named', async () => {
    const strangers = Array.from({ length: 12 }, (_, at) => `other-${String(at).padStart(2, '0')}`);
    const places = await placesWith({
      'package/recipes/review/team.md': recipeText('review'),
      ...Object.fromEntries(
        ['mine', ...strangers].map((slug) => [`project/.bnerd/teams/${slug}/team.md`, recipeText(slug)]),
      ),
    });
    const root = places.at('project');
    const load = await loadRecipe({ ...places, project: { root, folders: [root] } }, 'min');
    expect(load.kind).toBe('refused');
    expect(load.findings.find(({ code }) => code === 'unknown-recipe')?.remedy).toBe(
      'did you mean "mine"? known: review; not before you trust it (bnerd trust): ' +
        'mine, other-00, other-01, other-02, other-03, other-04, other-05, other-06, other-07, other-08 and 3 more',
    );
  });

  test.each(['../recipes/demo', 'Demo', '', '.', 'demo/', '/etc'])(
    'the slug %j is never joined to a path',
    async (slug) => {
      const places = await placesWith({ 'package/recipes/demo/team.md': recipeText('demo') });
      expect(await loadRecipe(places, slug)).toMatchObject({
        kind: 'refused',
        findings: [{ code: 'unknown-recipe' }],
      });
    },
  );

  test('an empty catalogue says so, and a missing mission repository is told with it', async () => {
    const places = await placesWith({});
    expect(await loadRecipe(places, 'demo')).toMatchObject({
      findings: [{ remedy: 'no recipe is known here' }],
    });
    const named = { ...places, mission: { path: places.at('nowhere'), named: true } };
    expect(await loadRecipe(named, 'demo')).toMatchObject({
      findings: [{ code: 'unknown-recipe' }, { code: 'missing-place' }],
    });
  });

  test('what is no readable text file is refused and says why', async () => {
    const places = await placesWith({
      'package/recipes/folder/team.md/x': '',
      'package/recipes/latin/team.md': Buffer.from(
        recipeText('latin').replace('What', 'Wh\u00e4t'),
        'latin1',
      ),
      'package/recipes/nul/team.md': `${recipeText('nul')}\0`,
      'package/recipes/large/team.md': recipeText('large', '', 'x'.repeat(1024 * 1024)),
      'outside.md': recipeText('linked'),
    });
    const links = { linked: places.at('outside.md'), dangling: places.at('nothing.md') };
    for (const [slug, target] of Object.entries(links)) {
      const path = places.at(`package/recipes/${slug}/team.md`);
      await mkdir(dirname(path));
      await symlink(target, path);
    }
    await mkdir(places.at('package/recipes/pipe'));
    await promisify(execFile)('mkfifo', [places.at('package/recipes/pipe/team.md')]);
    const codes = await Promise.all(
      ['folder', 'latin', 'nul', 'large', 'linked', 'dangling', 'pipe'].map(async (slug) => {
        const load = await loadRecipe(places, slug);
        return [
          slug,
          load.kind,
          ...load.findings.map(({ code, path }) => [code, path.endsWith(`${slug}/team.md`)]),
        ];
      }),
    );
    expect(codes).toEqual([
      ['folder', 'refused', ['not-a-file', true]],
      ['latin', 'refused', ['not-text', true]],
      ['nul', 'refused', ['not-text', true]],
      ['large', 'refused', ['file-too-large', true]],
      ['linked', 'refused', ['link-leads-out', true]],
      ['dangling', 'refused', ['file-missing', true]],
      ['pipe', 'refused', ['not-a-file', true]],
    ]);
    const { recipes, findings } = await listRecipes(places);
    expect(recipes).toHaveLength(7);
    expect(findings.map(({ code }) => code).sort()).toEqual(
      ['file-missing', 'file-too-large', 'link-leads-out', 'not-a-file', 'not-a-file'].sort(),
    );
  });

  test('a link to a file inside the tier is followed', async () => {
    const places = await placesWith({ 'package/recipes/one/team.md': recipeText('one') });
    await mkdir(places.at('package/recipes/two'));
    await symlink('../one/team.md', places.at('package/recipes/two/team.md'));
    expect(await loadRecipe(places, 'two')).toMatchObject({
      kind: 'loaded',
      recipe: { slug: 'two', name: 'one' },
    });
  });
});

describe('roles', () => {
  test('are found at any depth, by name and not by file, without README files and hidden folders', async () => {
    const places = await placesWith({
      'package/roles/scribe.md': roleText('scribe'),
      'package/roles/deep/er/x.MD': roleText('Code Reviewer'),
      'package/roles/README.md': 'About these roles.',
      'package/roles/.git/x.md': roleText('hidden'),
      'package/roles/notes.txt': 'x',
    });
    expect((await listRoles(places)).roles.map(({ name, tier }) => [name, tier])).toEqual([
      ['Code Reviewer', 'builtin'],
      ['scribe', 'builtin'],
    ]);
    expect(await loadRole(places, 'code_reviewer')).toMatchObject({
      kind: 'loaded',
      role: { name: 'Code Reviewer' },
    });
    expect(await loadRole(places, 'x')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'unknown-role' }],
    });
  });

  test('of the mission beat builtin ones whatever the spelling, and the loser stays visible', async () => {
    const places = await placesWith({
      'package/roles/code-reviewer.md': roleText('code-reviewer'),
      'mission/orchestrator/roles/team/r.md': roleText('Code Reviewer'),
    });
    const winner = places.at('mission/orchestrator/roles/team/r.md');
    expect((await listRoles(places)).roles).toMatchObject([
      { name: 'Code Reviewer', tier: 'mission', path: winner, shadowedBy: null },
      { name: 'code-reviewer', tier: 'builtin', shadowedBy: winner },
    ]);
    expect(await loadRole(places, 'code-reviewer')).toMatchObject({ role: { path: winner } });
  });

  test('two files of one name in one tier: the first by path is used, and a warning names both', async () => {
    const places = await placesWith({
      'package/roles/b.md': roleText('scribe'),
      'package/roles/a.md': roleText('Scribe'),
      'package/roles/other.md': roleText('other'),
    });
    const load = await loadRole(places, 'scribe');
    expect(load).toMatchObject({ kind: 'loaded', role: { path: places.at('package/roles/a.md') } });
    expect(load.findings).toContainEqual({
      code: 'duplicate-role-file',
      severity: 'warning',
      path: places.at('package/roles/b.md'),
      message: `the role "scribe" stands in two files of the builtin tier; ${places.at('package/roles/a.md')} is used`,
      remedy: 'rename or remove one of them',
    });
    expect((await loadRole(places, 'other')).findings).toEqual([]);
  });

  test('a broken file of a stronger tier holds the name of its stem, and takes no other down', async () => {
    const places = await placesWith({
      'package/roles/scribe.md': roleText('scribe'),
      'package/roles/other.md': roleText('other'),
      'mission/orchestrator/roles/scribe.md': '---\nmodel: Use: it\n---\n',
    });
    expect(await loadRole(places, 'scribe')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'yaml-error', line: 2 }],
    });
    expect(await loadRole(places, 'other')).toMatchObject({ kind: 'loaded' });
    expect((await listRoles(places)).roles).toHaveLength(3);
  });

  test('an unknown role is refused with the one that was probably meant', async () => {
    const places = await placesWith({ 'package/roles/scribe.md': roleText('scribe') });
    expect(await loadRole(places, 'scribbe')).toEqual({
      kind: 'refused',
      findings: [
        {
          code: 'unknown-role',
          severity: 'error',
          path: 'scribbe',
          message: 'no role file is called "scribbe"',
          remedy: 'did you mean "scribe"?',
        },
      ],
    });
  });

  test('links that make circles or lead out are walked once or not at all', async () => {
    const places = await placesWith({
      'package/roles/deep/scribe.md': roleText('scribe'),
      'elsewhere/spy.md': roleText('spy'),
    });
    await symlink('..', places.at('package/roles/deep/circle'));
    await symlink(places.at('elsewhere'), places.at('package/roles/out'));
    await symlink(places.at('elsewhere/spy.md'), places.at('package/roles/spy.md'));
    const { roles, findings } = await listRoles(places);
    expect(roles.map(({ name, description }) => [name, description])).toEqual([
      ['scribe', 'The scribe of the team'],
      ['spy', null],
    ]);
    expect(findings.map(({ code, path }) => [code, path]).sort()).toEqual([
      ['link-leads-out', places.at('package/roles/out')],
      ['link-leads-out', places.at('package/roles/spy.md')],
    ]);
  });

  test('several are loaded over one look, each with its own outcome', async () => {
    const places = await placesWith({
      'package/roles/scribe.md': roleText('scribe'),
      'package/roles/broken.md': 'nothing',
    });
    const loaded = await loadRoles(places, ['Scribe', 'broken', 'missing']);
    expect([...loaded.byIdentity].map(([identity, load]) => [identity, load.kind])).toEqual([
      ['scribe', 'loaded'],
      ['broken', 'refused'],
    ]);
    expect(loaded.known).toEqual(['broken', 'scribe']);
  });
});

describe('a roster from files', () => {
  test('is built with the findings of its roles, and refused when the lint finds an error', async () => {
    const places = await placesWith({
      'package/recipes/demo/team.md': recipeText('demo'),
      'package/recipes/tight/team.md': recipeText('tight', 'limits: {members: 1}'),
      'package/roles/captain.md': roleText('captain', 'memory: user'),
      'package/roles/scribe.md': roleText('scribe'),
    });
    const roster = async (slug: string): Promise<unknown> => {
      const load = await loadRecipe(places, slug);
      return load.kind === 'loaded' ? loadRoster(places, load.recipe) : load;
    };
    expect(await roster('demo')).toMatchObject({
      kind: 'built',
      roster: { members: [{ name: 'captain' }, { name: 'scribe' }] },
      findings: [{ code: 'not-in-effect' }],
    });
    expect(await roster('tight')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'not-in-effect' }, { code: 'limit-too-low', severity: 'error' }],
    });
  });
});

test('a file that appears between two looks is seen: nothing is remembered', async () => {
  const places = await placesWith({ 'package/roles/scribe.md': roleText('scribe') });
  expect(await loadRole(places, 'late')).toMatchObject({ kind: 'refused' });
  await writeFile(places.at('package/roles/late.md'), roleText('late'));
  expect(await loadRole(places, 'late')).toMatchObject({ kind: 'loaded' });
});
