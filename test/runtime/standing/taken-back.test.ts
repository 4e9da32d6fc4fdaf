// spec/skills.md §4: whatever a member or the run came by with somebody's word is asked about again before each model call
// and before each call of a tool that an entry provides; who is stopped is named, and the lead is told.
import { describe, expect, test } from 'vitest';
import {
  ask,
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  says,
  spawn,
  update,
  when,
} from '../../cases/play.js';
import { commitAll } from '../../helpers/repository.js';
import { type Mission, resumeJob, startJob } from '../../helpers/team.js';
import { type TrustedPlace, type TrustWords, writeTrust } from '../../helpers/trust-file.js';
import {
  type Around,
  around,
  asked,
  byBob,
  ENTRY,
  expectStopped,
  HARBOUR,
  mission,
  RECIPE,
  ROLE,
  revoke,
  waiting,
  word,
} from './around.js';

describe('a role that is taken back', () => {
  test('stops its member before its next model call, by name; the lead is told', async () => {
    const at = await around(mission('stopped'), {}, [['roles/worker.md', ROLE]]);
    const team = await waiting(at);
    const before = asked(team, 'worker');
    await revoke(at, ROLE);
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    await expectStopped(team, 'worker', byBob(`role worker (${ROLE})`), before);
    // No entry was left out: the whole member is.
    expect(team.of('entry.omitted')).toEqual([]);
    expectInvariants(team);
  });

  test('ends the run where it is the role of the lead: failed, approval_revoked', async () => {
    const role = '.bnerd/roles/boss.md';
    const at = await around(mission('completed'), {}, [['roles/boss.md', role]]);
    const team = await waiting(at);
    const before = asked(team, 'boss');
    await revoke(at, role);
    await team.live.send('boss', 'How is it going?');
    expect(await team.ended()).toMatchObject({
      reason: 'failed',
      exit: 1,
      cause: 'approval_revoked',
      detail: expect.stringContaining(
        `boss leads the team and cannot go on: ${byBob(`role boss (${role})`)}`,
      ),
    });
    expect(asked(team, 'boss')).toBe(before);
    expectInvariants(team);
  });

  test('stops its member when the run is taken up again', async () => {
    const at = await around(mission('stopped'), {}, [['roles/worker.md', ROLE]]);
    const team = await waiting(at);
    await team.live.stop('stop');
    await team.ended();
    await revoke(at, ROLE);
    const resumed = await resumeJob(at, team.live.id, true);
    await expectStopped(resumed, 'worker', byBob(`role worker (${ROLE})`), 0);
    expectInvariants(team, resumed);
  });
});

describe('a recipe that is taken back', () => {
  test('ends the run, whoever would be asked next: failed, approval_revoked', async () => {
    const at = await around(mission('completed'), {}, [['teams/job/team.md', RECIPE]]);
    const team = await waiting(at);
    const before = asked(team, 'worker');
    await revoke(at, RECIPE);
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({
      reason: 'failed',
      exit: 1,
      cause: 'approval_revoked',
      detail: expect.stringContaining(byBob(`recipe job (${RECIPE})`)),
    });
    expect(asked(team, 'worker')).toBe(before);
    expectInvariants(team);
  });

  test('ends a run that is taken up again before anybody is asked', async () => {
    const at = await around(mission('completed'), {}, [['teams/job/team.md', RECIPE]]);
    const team = await waiting(at);
    await team.live.stop('stop');
    await team.ended();
    await revoke(at, RECIPE);
    const resumed = await resumeJob(at, team.live.id, true);
    await resumed.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await resumed.ended()).toMatchObject({ reason: 'failed', cause: 'approval_revoked' });
    expect(resumed.of('budget.reserved')).toEqual([]);
    expectInvariants(team, resumed);
  });
});

describe('a place that is not trusted any more', () => {
  async function trustedPlace(plan: Mission): Promise<Around & { readonly places: readonly TrustedPlace[] }> {
    const at = await around(plan, { [ENTRY]: HARBOUR });
    const places = [{ path: at.root, root_commit: commitAll(at.root, 'a project') }];
    await writeTrust(at.house.home, { approved: [], places });
    return { ...at, house: { ...at.house, trust: word(at.house.home, at.root) }, places };
  }

  test('stops who has an entry of it: revoked, or the trust in it gone', async () => {
    for (const gone of ['revoked', 'removed'] as const) {
      const at = await trustedPlace(
        mission('stopped', { roles: { boss: {}, worker: { skills: ['harbour'] } } }),
      );
      const team = await waiting(at);
      expect(team.of('run.started')[0]?.seats[1]?.entries).toContainEqual(
        expect.objectContaining({ name: 'harbour', trust: 'instruction' }),
      );
      const before = asked(team, 'worker');
      const { places } = at;
      const words: TrustWords =
        gone === 'revoked' ? { approved: [], places, revokedPlaces: places } : { approved: [] };
      await writeTrust(at.house.home, words);
      await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
      await expectStopped(team, 'worker', `skill harbour (${ENTRY}) is not approved any more`, before);
      expectInvariants(team);
    }
  });

  test('stops nobody whose text has an approval of its own', async () => {
    const at = await trustedPlace(
      mission('completed', { roles: { boss: {}, worker: { skills: ['harbour'] } } }),
    );
    const team = await waiting(at);
    await writeTrust(at.house.home, { approved: at.approved, places: at.places, revokedPlaces: at.places });
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });
});

describe('a mission repository that was found, and counts by the trust in its place', () => {
  async function foundMission(plan: Mission, moved: readonly (readonly [string, string])[] = []) {
    const at = await around(plan, {}, moved);
    const path = at.mission;
    const commit = commitAll(path, 'a mission');
    const places = [{ path, root_commit: commit }];
    await writeTrust(at.house.home, { approved: at.approved, places });
    const mission = { path, named: true, byPlace: true, commit } as const;
    return { ...at, house: { ...at.house, mission, trust: word(at.house.home, at.root) }, places };
  }

  test('ends the run whose recipe lies there when that trust is taken away', async () => {
    const at = await foundMission(mission('completed'));
    const team = await waiting(at);
    expect(team.of('run.started')[0]?.mission).toMatchObject({ named: true, by_place: true });
    const before = asked(team, 'worker');
    await writeTrust(at.house.home, { approved: [], places: at.places, revokedPlaces: at.places });
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({
      reason: 'failed',
      cause: 'approval_revoked',
      detail: `recipe job (${at.mission}) is not approved any more`,
    });
    expect(asked(team, 'worker')).toBe(before);
    expectInvariants(team);
  });

  test('stops the members whose roles lie there, where the recipe does not', async () => {
    const boss = '.bnerd/roles/boss.md';
    const moved = [
      ['teams/job/team.md', RECIPE],
      ['roles/boss.md', boss],
    ] as const;
    const at = await foundMission(mission('stopped'), moved);
    const team = await waiting(at);
    const before = asked(team, 'worker');
    await writeTrust(at.house.home, { approved: at.approved });
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    await expectStopped(team, 'worker', `role worker (${at.mission}) is not approved any more`, before);
    expectInvariants(team);
  });

  test('stops nobody where the operator has named it', async () => {
    const at = await foundMission(mission('completed'));
    const named = { path: at.mission, named: true, commit: at.places[0]?.root_commit ?? null };
    const team = await waiting({ ...at, house: { ...at.house, mission: named } });
    await writeTrust(at.house.home, { approved: [], places: at.places, revokedPlaces: at.places });
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });
});

describe('an entry of a task that is taken back', () => {
  const tasks = [{ id: 'one', subject: 'Part one', role: 'worker', skills: ['harbour'] }];

  test('stops the member that was told it with the task', async () => {
    const at = await around(mission('stopped', { recipe: { tasks } }), { [ENTRY]: HARBOUR });
    const team = await waiting(at);
    expect(team.inputs('worker').join('\n')).toContain('The word is anchor.');
    const before = asked(team, 'worker');
    await revoke(at, ENTRY);
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    await expectStopped(team, 'worker', byBob(`skill harbour (${ENTRY})`), before);
    expect(team.of('entry.omitted')).toMatchObject([{ member: 'worker', entry: 'harbour', reason: 'trust' }]);
    expectInvariants(team);
  });

  test('reaches no model when it is taken back before the task is offered', async () => {
    const first = { id: 'zero', subject: 'Part zero', role: 'worker' };
    const then = {
      id: 'one',
      subject: 'Part one',
      role: 'worker',
      blocked_by: ['zero'],
      skills: ['harbour'],
    };
    const plan = mission('stopped', {
      recipe: { tasks: [first, then] },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', says('Go.')),
            when('was stopped: (?<why>.+)', does(update('#2', { status: 'cancelled' })), finish('partial')),
          ],
        },
        worker: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              does(ask('May I go on?')),
              does(complete('#1')),
              says('Done.'),
            ),
          ],
        },
      },
    });
    const at = await around(plan, { [ENTRY]: HARBOUR });
    const team = await waiting(at);
    await revoke(at, ENTRY);
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
    expect(team.of('task.completed')).toHaveLength(1);
    expect(team.of('member.stopped')).toMatchObject([
      { member: 'worker', reason: expect.stringContaining(byBob(`skill harbour (${ENTRY})`)) },
    ]);
    expect(JSON.stringify(team.transcripts)).not.toContain('anchor');
    expectInvariants(team);
  });
});

test('a member that comes in after its skill was taken back is asked nothing, and the lead is told', async () => {
  const plan: Mission = {
    recipe: { on_demand: ['worker'], tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }] },
    roles: { boss: {}, worker: { skills: ['harbour'] } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', does(ask('Begin?')), does(spawn('worker')), says('Go.')),
          when(
            'worker was stopped: (?<why>.+)',
            does(update('#1', { status: 'cancelled' })),
            finish('partial'),
          ),
        ],
      },
      worker: { idle: 'Ready.', turns: [when('', says('Here.'))] },
    },
  };
  const at = await around(plan, { [ENTRY]: HARBOUR });
  const team = await startJob(at, at.order, true);
  await team.fact('request.opened');
  await revoke(at, ENTRY);
  await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
  await expectStopped(team, 'worker', byBob(`skill harbour (${ENTRY})`), 0);
  expect(team.of('member.spawned').map(({ seat }) => seat.member)).toContain('worker');
  expectInvariants(team);
});
