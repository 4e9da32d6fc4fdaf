import { describe, expect, test } from 'vitest';
import { lintTargets } from '../../src/catalog/catalogue.js';
import { type Files, placesWith, recipeText, roleText, type TestPlaces } from './places.js';
import { placesOver, treeOf } from './tree.js';

const ROLES: Files = {
  'package/roles/captain.md': roleText('captain'),
  'package/roles/scribe.md': roleText('scribe'),
};

function demo(more: string, roles: Files = {}): Promise<TestPlaces> {
  return placesWith({ ...ROLES, ...roles, 'package/recipes/demo/team.md': recipeText('demo', more) });
}

const TWO_TASKS = 'tasks: [{id: a, subject: s}, {id: b, subject: s}]';

describe('the lint of a recipe', () => {
  test('finds nothing in one that is right', async () => {
    const places = await demo('size: 1\non_demand: [scribe]\nlimits: {members: 1}');
    expect(await lintTargets(places, ['demo'])).toEqual({
      checked: [places.at('package/recipes/demo/team.md')],
      findings: [],
      roles: ['captain', 'scribe'].map((name) => expect.objectContaining({ name })),
    });
  });

  test.each<[more: string, severity: string, code: string, line: number, message: string, remedy: string]>([
    [
      'size: 3',
      'warning',
      'size-mismatch',
      6,
      '`size` is 3, but 2 seats are always on, the lead included',
      'write `size: 2`',
    ],
    ['size: 2\non_demand: [scribe]', 'warning', 'size-mismatch', 6, 'but 1 seats', 'write `size: 1`'],
    [
      'limits:\n  members: 1',
      'error',
      'limit-too-low',
      7,
      '`limits.members` is 1, but the seats that are always on are 2',
      'at least 2',
    ],
    [
      `limits: {tasks: 1}\n${TWO_TASKS}`,
      'error',
      'limit-too-low',
      6,
      '`limits.tasks` is 1, but the tasks of the recipe are 2',
      'at least 2',
    ],
    [
      'limits: {unread_bytes: 10}',
      'error',
      'limit-too-low',
      6,
      '`limits.unread_bytes` is 10, but one message may have a `mail_bytes` of 32768',
      'at least 32768',
    ],
    [
      'tasks:\n  - {id: a, subject: s, role: scribe, gates: [scribe]}',
      'error',
      'gate-by-owner',
      7,
      'task a is done and judged by "scribe"',
      'name another role',
    ],
    [
      'on_demand: [scribe]\ntasks: [{id: a, subject: s, role: scribe}]',
      'info',
      'task-role-on-demand',
      7,
      'task a is for "scribe", which is on demand',
      'say so in the working contract',
    ],
    [
      'on_demand: [scribe]\ntasks: [{id: a, subject: s, gates: [scribe]}]',
      'info',
      'gate-role-on-demand',
      7,
      'task a is judged by "scribe", which is on demand',
      'say so in the working contract',
    ],
  ])('for %j', async (more, severity, code, line, message, remedy) => {
    const places = await demo(more);
    const { findings } = await lintTargets(places, ['demo']);
    expect(findings).toMatchObject([
      { code, severity, path: places.at('package/recipes/demo/team.md'), line },
    ]);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.remedy).toContain(remedy);
  });

  test('warns of plan mode that the recipe does not turn on, at the role', async () => {
    const places = await demo('', { 'package/roles/scribe.md': roleText('scribe', 'permissionMode: plan') });
    const path = places.at('package/recipes/demo/team.md');
    expect((await lintTargets(places, ['demo'])).findings).toEqual([
      {
        code: 'plan-without-approval',
        severity: 'warning',
        path: places.at('package/roles/scribe.md'),
        line: 4,
        message: '"scribe" asks for plan mode, which recipe demo does not turn on',
        remedy: `add \`plan_approval: true\` to ${path}`,
      },
    ]);
    const turnedOn = await demo('plan_approval: true', {
      'package/roles/scribe.md': roleText('scribe', 'permissionMode: plan'),
    });
    expect((await lintTargets(turnedOn, ['demo'])).findings).toEqual([]);
  });

  test('warns of a lead that would approve for itself', async () => {
    const places = await demo('', { 'package/roles/captain.md': roleText('captain', 'approver: lead') });
    expect((await lintTargets(places, ['demo'])).findings).toMatchObject([
      {
        code: 'unreachable-approver',
        severity: 'warning',
        line: 4,
        remedy: 'write `approver: operator` or remove it',
      },
    ]);
  });

  test('names a role without a file and still looks at the rest of the recipe', async () => {
    const places = await placesWith({
      'package/recipes/demo/team.md': recipeText('demo', 'size: 5'),
      'package/roles/captain.md': roleText('captain'),
    });
    expect((await lintTargets(places, ['demo'])).findings.map(({ code }) => code)).toEqual([
      'unknown-role',
      'size-mismatch',
    ]);
  });
});

describe('the targets of a lint', () => {
  test('without one: every recipe and role, shadowed ones included, and what is wrong with the places', async () => {
    const places = await placesWith({
      ...ROLES,
      'package/roles/twin.md': roleText('scribe'),
      'package/recipes/demo/team.md': recipeText('demo', 'size: 9'),
      'package/recipes/Bad/team.md': recipeText('bad'),
      'mission/orchestrator/teams/demo/team.md': recipeText('demo', 'safty: full'),
      'mission/orchestrator/roles/lost.md': 'nothing',
    });
    const { checked, findings } = await lintTargets(places, []);
    expect(checked.map((path) => path.slice(places.at('').length + 1)).sort()).toEqual([
      'mission/orchestrator/roles/lost.md',
      'mission/orchestrator/teams/demo/team.md',
      'package/recipes/demo/team.md',
      'package/roles/captain.md',
      'package/roles/scribe.md',
      'package/roles/twin.md',
    ]);
    expect(findings.map(({ code }) => code).sort()).toEqual([
      'bad-slug',
      'duplicate-role-file',
      'name-differs',
      'no-frontmatter',
      'size-mismatch',
      'unknown-key',
    ]);
  });

  test('a role by name, a file by path, a folder by path', async () => {
    const places = await demo('size: 9', { 'package/roles/odd.md': roleText('strange', 'hooks: {}') });
    const checked = async (...targets: string[]): Promise<string[]> =>
      (await lintTargets(places, targets)).checked.map((path) => path.slice(places.at('').length + 1));
    expect(await checked('Strange')).toEqual(['package/roles/odd.md']);
    expect(await checked(places.at('package/roles/odd.md'))).toEqual(['package/roles/odd.md']);
    expect(await checked(places.at('package/roles'), 'strange')).toEqual([
      'package/roles/captain.md',
      'package/roles/odd.md',
      'package/roles/scribe.md',
    ]);
    expect(await checked(places.at('package/recipes/demo'))).toEqual(['package/recipes/demo/team.md']);
  });

  test('a recipe that lies outside every place is told by its lead, and its roles come from the places', async () => {
    const places = await placesWith({ ...ROLES, 'drafts/demo.md': recipeText('demo', 'size: 9') });
    const { findings } = await lintTargets(places, [places.at('drafts/demo.md')]);
    expect(findings).toMatchObject([{ code: 'size-mismatch', path: places.at('drafts/demo.md') }]);
  });

  test('a word that stands for nothing, and a path without a file, are findings', async () => {
    const places = await demo('');
    expect((await lintTargets(places, ['dmo', './nowhere.md'])).findings).toMatchObject([
      {
        code: 'unknown-target',
        path: 'dmo',
        message: 'there is no recipe, role, file or folder "dmo"',
        remedy: 'did you mean "demo"? known: demo',
      },
      { code: 'file-missing', path: './nowhere.md' },
    ]);
  });
});

test('in a folder that was named, links that lead out of it are not followed; on the way to it they are', async () => {
  const tree = await treeOf({
    'clone/agents/a.md': roleText('a'),
    'clone/agents/inner.md': { link: 'clone/agents/a.md' },
    'clone/agents/out.md': { link: 'private/key.md' },
    'clone/agents/folder': { link: 'private' },
    'private/key.md': '---\nname: {SECRET: 1}\n---\n',
    way: { link: 'clone' },
  });
  const { findings, checked } = await lintTargets(placesOver(tree), [tree.at('way/agents')]);
  expect(checked).toEqual(['a', 'inner', 'out'].map((name) => tree.at(`way/agents/${name}.md`)));
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, path }) => [code, path])).toEqual([
    ['link-leads-out', tree.at('way/agents/folder')],
    ['link-leads-out', tree.at('way/agents/out.md')],
  ]);
  expect(JSON.stringify(findings)).not.toContain('SECRET');
});
