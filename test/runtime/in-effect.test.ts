// Invariant 10: what a role or recipe file says is in effect in every spawn path, or refused, or reported by key.
import { expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import type { RunPlan } from '../../src/runtime/plan/run-order.js';
import type { Finding } from '../../src/shared/findings.js';
import { type Mission, ORDER, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

async function plan(mission: Partial<Mission>): Promise<RunPlan> {
  const at = await writeMission({ ...JOB, ...mission });
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings, null, 2));
  return prepared.plan;
}

function ofKey({ findings }: RunPlan, key: string): readonly Finding[] {
  return findings.filter(({ code, message }) => code === 'not-in-effect' && message.includes(`\`${key}\``));
}

test.each([
  ['grants', { grants: ['network'] }, 'warning', 'network'],
  ['delegate', { delegate: true }, 'warning', 'says nothing of an `engineer`'],
  ['engineer_skills', { engineer_skills: ['x'] }, 'warning', 'does not delegate'],
  ['color', { color: 'blue' }, 'info', 'colours'],
  ['hooks', { hooks: {} }, 'warning', 'not in effect here'],
  ['mcpServers', { mcpServers: {} }, 'warning', 'not in effect here'],
  ['memory', { memory: 'user' }, 'warning', 'not in effect here'],
  ['permissionMode: bypassPermissions', { permissionMode: 'bypassPermissions' }, 'warning', 'cannot loosen'],
])('a role that says %s is told of it, with the line', async (key, role, severity, says) => {
  const [found, ...others] = ofKey(
    await plan({ roles: { ...JOB.roles, worker: { base: 'write', ...role } } }),
    key,
  );
  expect(others).toEqual([]);
  expect(found).toMatchObject({ severity, path: expect.stringMatching(/roles\/worker\.md$/) });
  expect(found?.line).toBeGreaterThan(1);
  expect(found?.message).toContain(says);
});

test.each([['engineer', { engineer: { pool: 'default' } }]])(
  'a recipe that says %s is told of it, with the line',
  async (key, recipe) => {
    const [found, ...others] = ofKey(await plan({ recipe: { ...JOB.recipe, ...recipe } }), key);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: 'warning', path: expect.stringMatching(/team\.md$/) });
    expect(found?.line).toBeGreaterThan(1);
  },
);

test('nothing is said of what nobody wrote', async () => {
  expect((await plan({})).findings).toEqual([]);
});

test('a pattern of a role stands in the seat as a rule of this member; one that cannot be expressed is reported', async () => {
  const made = await plan({
    roles: {
      ...JOB.roles,
      worker: {
        tools: ['Read', 'Bash(git diff:*)', 'Write', 'Grep(x)'],
        disallowedTools: ['Write(secrets/*)'],
      },
    },
  });
  expect(made.started.seats.map(({ member, patterns }) => [member, patterns])).toEqual([
    ['boss', []],
    [
      'worker',
      [
        { tool: 'shell_exec', match: 'git diff:*', decision: 'allow', origin: 'role:worker' },
        { tool: 'fs_write_file', match: 'secrets/*', decision: 'deny', origin: 'role:worker' },
      ],
    ],
  ]);
  expect(made.findings).toMatchObject([
    { code: 'tool-pattern', severity: 'warning', line: expect.any(Number) },
  ]);
});

test('names of tools that are not in effect here are dropped with one warning each', async () => {
  const made = await plan({
    roles: {
      ...JOB.roles,
      worker: { base: 'write', tools: ['Read', 'Write', 'Agent', 'mcp__x__y', 'WebSearch', 'TodoWrite'] },
    },
  });
  const dropped = made.findings.filter((finding) => finding.code === 'tool-not-in-effect');
  expect(dropped.map((finding) => /"([^"]+)"/.exec(finding.message)?.[1])).toEqual([
    'Agent',
    'mcp__x__y',
    'WebSearch',
  ]);
});

test('what is in effect stands in the seat: model, plan mode, exclusive workspace, turns, skills', async () => {
  const made = await plan({
    recipe: { ...JOB.recipe, plan_approval: true, on_demand: ['worker'] },
    roles: {
      boss: {},
      worker: {
        base: 'write',
        permissionMode: 'plan',
        approver: 'operator',
        workspace: 'exclusive',
        maxTurns: 7,
        model: 'inherit',
        skills: ['writing-a-report'],
      },
    },
  });
  expect(made.started.seats[1]).toMatchObject({
    member: 'worker',
    on_demand: true,
    plan_mode: true,
    plan_approver: 'operator',
    exclusive_workspace: true,
    max_turns: 7,
    model: 'script/script.yaml',
    entries: expect.arrayContaining([
      expect.objectContaining({ name: 'writing-a-report', trust: 'instruction' }),
    ]),
  });
});

test('a skill that needs what the member lacks is left out, loudly, and the member starts without it', async () => {
  const made = await plan({
    roles: { ...JOB.roles, worker: { base: 'write', disallowedTools: ['shell_exec'], skills: ['shelling'] } },
    governed: true,
    skills: {
      shelling:
        '---\nname: shelling\ndescription: shells\nversion: 1.0.0\norigin: proprietary\nrequires: [shell]\n---\nUse it.\n',
    },
  });
  expect(made.entries).toMatchObject([
    { type: 'entry.rejected', member: 'worker', entry: 'shelling', reason: 'capability' },
  ]);
  expect(made.findings).toMatchObject([{ code: 'entry-rejected', severity: 'warning' }]);
  expect(made.started.seats[1]?.entries.map((entry) => entry.name)).not.toContain('shelling');
  expect(JSON.stringify([...made.prompts])).not.toContain('Use it.');
});

test('rules of the settings and of the recipe are frozen with their origin; one about a tool of coordination is remarked', async () => {
  const at = await writeMission({
    ...JOB,
    recipe: {
      ...JOB.recipe,
      permissions: [
        { tool: 'delegate_engineer', decision: 'deny' },
        { tool: 'team_spawn', decision: 'deny' },
      ],
    },
  });
  const house = { ...at.house, permissions: [{ tool: '*', match: null, decision: 'ask' as const }] };
  const prepared = await prepareRun(house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  expect(prepared.plan.started.permissions.map(({ tool, origin }) => [tool, origin])).toEqual([
    ['*', 'settings'],
    ['delegate_engineer', 'recipe'],
    ['team_spawn', 'recipe'],
  ]);
  expect(prepared.plan.findings.map(({ code, severity }) => [code, severity])).toEqual([
    ['not-in-effect', 'warning'],
  ]);
});
