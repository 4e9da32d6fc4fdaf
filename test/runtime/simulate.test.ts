// spec/team.md §9 `bnerd team simulate`: a recipe moves without a model, and the operator's files are left alone.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectInvariants, finish, says, when } from '../cases/play.js';
import { type Mission, startJob, type TestHouse, writeMission } from '../helpers/team.js';

/** Everything a recipe may ask for: plan, acceptance, artifacts, a gate on demand, a chain. */
const MISSION: Mission = {
  recipe: {
    model: undefined,
    plan_approval: true,
    on_demand: ['gate'],
    tasks: [
      {
        id: 'one',
        subject: 'Write one',
        description: 'Acceptance:\n- not an item of it',
        role: 'ann',
        gates: ['gate'],
        acceptance: ['it is there', 'it is short'],
        artifacts: ['one.md', 'two.md'],
        required: true,
      },
      { id: 'two', subject: 'Look at it', role: 'ben', blocked_by: ['one'] },
    ],
  },
  roles: { boss: {}, ann: { base: 'write', permissionMode: 'plan' }, ben: {}, gate: {} },
  script: { boss: {} },
  files: { 'note.txt': 'kept', '.env': 'TOKEN=planted', 'src/a.txt': 'a' },
};

async function simulate(at: TestHouse, workspace: 'copy' | 'temp' | 'here', models: readonly string[] = []) {
  const team = await startJob(at, { simulation: { workspace }, models });
  return { team, ended: await team.ended() };
}

async function without(mission: Mission): Promise<TestHouse> {
  const at = await writeMission(mission);
  await rm(join(at.mission, 'orchestrator/teams/job/script.yaml'));
  return at;
}

test('members that think nothing carry a recipe through plan, board, gate and artifacts to its end', async () => {
  const at = await without(MISSION);
  const { team, ended } = await simulate(at, 'copy');
  expect(ended).toMatchObject({ reason: 'done', exit: 0, costUsd: 0 });
  expect(ended.result).toMatch(
    /^SIMULATED: no model was asked\. The board at the end:\n#1 \[completed by ann\]/,
  );
  expect(team.of('run.started')[0]).toMatchObject({ simulated: true, workspace: { kind: 'temp' } });
  expect(team.of('plan.decided')).toMatchObject([{ decision: 'approve' }]);
  expect(team.of('member.spawned').map(({ seat }) => seat.member)).toContain('gate');
  expect(team.of('task.submitted')[0]?.evidence.map(({ item }) => item)).toEqual([
    'it is there',
    'it is short',
  ]);
  expect(team.of('task.reviewed')).toMatchObject([{ verdict: 'approve', member: 'gate' }]);
  expect(team.of('task.completed')).toHaveLength(2);
  expectInvariants(team);
  // Its files are a copy, without secrets; the operator's own are as they were.
  expect((await readdir(team.live.workspace)).sort()).toEqual(['note.txt', 'one.md', 'src', 'two.md']);
  expect((await readdir(at.workspace)).sort()).toEqual(['.env', 'note.txt', 'src']);
});

test('an empty directory or the workspace itself, where that is asked for', async () => {
  const at = await without(MISSION);
  const { team } = await simulate(at, 'temp');
  expect((await readdir(team.live.workspace)).sort()).toEqual(['one.md', 'two.md']);
  const here = await simulate(at, 'here');
  expect(here.team.live.workspace).toBe(at.workspace);
  expect(await readFile(join(at.workspace, 'one.md'), 'utf8')).toContain('Simulated: ann');
});

test('a recipe without tasks is given one for each member', async () => {
  const at = await without({
    ...MISSION,
    recipe: { model: undefined },
    roles: { boss: {}, ann: {}, ben: {} },
  });
  const { team, ended } = await simulate(at, 'temp');
  expect(ended.reason).toBe('done');
  expect(
    team
      .of('task.completed')
      .map(({ member }) => member)
      .sort(),
  ).toEqual(['ann', 'ben']);
});

test('a script beside the recipe, or one that is named, is played instead', async () => {
  const script = { boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('never', finish())] } };
  const at = await writeMission({
    recipe: { model: undefined },
    roles: { boss: {} },
    script: { boss: { turns: [when('', finish())] } },
  });
  const { team, ended } = await simulate(at, 'temp');
  expect(team.of('run.started')[0]?.seats[0]?.model).toMatch(/^script\//);
  expect(ended.result).not.toContain('SIMULATED');
  const other = join(at.mission, 'other.yaml');
  await writeFile(other, JSON.stringify({ script: 1, roles: script }));
  const named = await simulate(at, 'temp', [`script/${other}`]);
  expect(named.ended.reason).not.toBe('done');
});
