// What ends a run or a turn that nobody ended: limits, the clock, a full disk, a lost lock (spec/team.md §7).
import { describe, expect, test } from 'vitest';
import { MemoryDisk } from '../../src/events/memory-record.js';
import { type Clock, systemClock } from '../../src/shared/clock.js';
import { fold } from '../../src/state/team-store.js';
import { does, expectInvariants, finish, list, type Step, says, shell, when, works } from '../cases/play.js';
import { startMemoryJob } from '../helpers/memory-team.js';
import { type Mission, resumeJob, runMission, startJob, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

/** The machine's clock, moved on by hand. */
class MovedClock implements Clock {
  ahead = 0;
  asked = 0;
  wallMs(): number {
    return systemClock.wallMs();
  }
  monotonicMs(): number {
    this.asked++;
    return systemClock.monotonicMs() + this.ahead;
  }
}

/** A lead that would go on for ever: each turn it lists the board and says something. */
function talker(steps: readonly Step[]): Mission {
  return {
    roles: { boss: {} },
    script: { boss: { turns: [when('', ...steps, finish())] } },
  };
}

describe('limits of the run', () => {
  test.each([
    ['turns', '2', JOB],
    ['model_calls', '3', talker(Array<Step>(9).fill(does(list())))],
    ['tokens', '5000', talker(Array<Step>(9).fill(does(list())))],
  ] as const)(
    '%s: no new model call starts, the run ends as budget, and can be resumed',
    async (limit, value, mission) => {
      const team = await runMission(mission, { limits: new Map([[limit, value]]) });
      const ended = await team.ended();
      expect(ended).toMatchObject({ reason: 'budget', exit: 5, resumable: false });
      expect(ended.detail).toContain(`limit ${limit} = `);
      expect(team.of('limit.reached')).toMatchObject([{ limit, member: null }]);
      const { budget } = team.live.state();
      if (limit === 'turns') expect(budget.turns).toBe(2);
      if (limit === 'model_calls') expect(budget.modelCalls).toBe(3);
      expectInvariants(team);
    },
  );

  test('record_bytes: what the record holds is counted by it; no new call starts, and the end is still written', async () => {
    const at = await writeMission(talker(Array<Step>(40).fill(does(list()))));
    const first = await startJob(at, { limits: new Map([['record_bytes', '40000']]) });
    expect(await first.ended()).toMatchObject({ reason: 'budget', exit: 5, recorded: true });
    const [reached] = first.of('limit.reached');
    expect(reached).toMatchObject({ limit: 'record_bytes', member: null });
    expect(reached?.value).toBeGreaterThanOrEqual(40_000);
    expect(reached?.value, 'not long after').toBeLessThan(60_000);
    expect(first.of('budget.reserved').length).toBeGreaterThan(0);
    const second = await resumeJob(at, first.live.id);
    expect(await second.ended()).toMatchObject({ reason: 'budget' });
    expect(second.of('budget.reserved')).toEqual([]);
  });

  test('concurrency: never more turns at once, and as many where there is work', async () => {
    const names = ['ada', 'bob', 'cid', 'dan'];
    const team = await runMission({
      recipe: {
        limits: { concurrency: 2 },
        tasks: names.map((role) => ({ id: `of-${role}`, subject: 'x', role })),
      },
      roles: { boss: {}, ...Object.fromEntries(names.map((name) => [name, {}])) },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when(
              names.map((_, index) => `has completed #${index + 1}`),
              finish(),
            ),
          ],
        },
        ...Object.fromEntries(
          names.map((name, index) => [
            name,
            { idle: 'Ready.', turns: [works(`#${index + 1}`, { ...does(list()), delay_ms: 30 })] },
          ]),
        ),
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    let working = 0;
    let most = 0;
    for (const { type } of team.facts) {
      working += type === 'turn.started' ? 1 : type === 'turn.ended' ? -1 : 0;
      most = Math.max(most, working);
    }
    expect(most).toBe(2);
  });

  test('wall_minutes: what runs finishes, then the run ends as deadline; meanwhile nobody looks in a hurry', async () => {
    const at = await writeMission({
      ...talker([{ ...does(list()), delay_ms: 400 }, does(list())]),
      recipe: { limits: { wall_minutes: 60 } },
    });
    const clock = new MovedClock();
    const moved = { ...at, house: { ...at.house, clock } };
    const team = await startJob(moved);
    await team.fact('budget.reserved');
    clock.ahead = 3_600_000;
    const before = clock.asked;
    expect(await team.ended()).toMatchObject({ reason: 'deadline', exit: 6, resumable: false });
    expect(team.of('budget.spent')).toHaveLength(1);
    expect(team.of('turn.ended')).toMatchObject([{ outcome: 'limit' }]);
    expect(clock.asked - before, 'looks at the clock within 400 ms').toBeLessThan(100);
  });

  test('wall_minutes that pass while a turn runs are looked at once by their timer', async () => {
    const at = await writeMission(talker([{ ...does(list()), delay_ms: 500 }]));
    const clock = new MovedClock();
    const team = await startJob(
      { ...at, house: { ...at.house, clock } },
      { limits: new Map([['wall_minutes', '0.001']]) },
    );
    expect(await team.ended()).toMatchObject({ reason: 'deadline', exit: 6 });
    expect(clock.asked).toBeLessThan(150);
  });

  test('a team that ran into its deadline goes on ending so, however often it is resumed', async () => {
    const at = await writeMission(talker([{ ...does(list()), delay_ms: 200 }]));
    const first = await startJob(at, { limits: new Map([['wall_minutes', '0.001']]) });
    await first.ended();
    const second = await resumeJob(at, first.live.id);
    expect(await second.ended()).toMatchObject({ reason: 'deadline', exit: 6 });
    expect(second.of('budget.reserved')).toEqual([]);
  });
});

describe('limits of a turn', () => {
  test('turn_minutes ends the turn as limit; the next goes on, until the turns are used up', async () => {
    const team = await runMission(talker([{ ...does(list()), delay_ms: 60_000 }]), {
      limits: new Map([
        ['turn_minutes', '0.001'],
        ['turns', '3'],
      ]),
    });
    expect(await team.ended()).toMatchObject({ reason: 'budget' });
    expect(team.of('turn.ended').map(({ outcome, detail }) => [outcome, detail])).toEqual(
      Array(3).fill(['limit', 'turn_minutes']),
    );
    // Each turn was opened once; how far it came before its time was over is the machine's.
    const ids = team.transcripts.map(({ entry }) => entry.id);
    const turns = team.of('turn.ended').map((fact) => fact.turn);
    expect(ids.filter((id) => id.endsWith('-0'))).toEqual(turns.map((turn) => `${turn}-0`));
    expect(new Set(ids.map((id) => Number(id.split('-')[0])))).toEqual(new Set(turns));
  });

  test('turn_minutes longer than any timer of the machine is no shorter for it', async () => {
    const team = await runMission({ ...JOB, recipe: { ...JOB.recipe, limits: { turn_minutes: 1e9 } } });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });

  test('a role that allows no more turns fails its member, and the lead is told', async () => {
    const team = await runMission({
      recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
      roles: { boss: {}, worker: { maxTurns: 1 } },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when(
              'worker has failed',
              does({ tool: 'team_task_update', args: { task: '#1', status: 'failed' } }),
              finish('failed'),
            ),
          ],
        },
        worker: { idle: 'Ready.', turns: [when('Task #1 is ready', says('I say nothing of it.'))] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'failed', cause: 'lead' });
    expect(team.of('member.failed')).toMatchObject([{ member: 'worker', code: 'max-turns' }]);
  });
});

test('turns of members with an exclusive workspace are never at the same time', async () => {
  const role = { base: 'write', workspace: 'exclusive' };
  const busy = (task: string) => works(task, { ...does(shell('true')), delay_ms: 30 });
  const team = await runMission({
    recipe: {
      tasks: ['ada', 'bob', 'cid'].map((name) => ({ id: `of-${name}`, subject: 'x', role: name })),
    },
    roles: { boss: {}, ada: role, bob: role, cid: role },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            ['#1', '#2', '#3'].map((task) => `has completed ${task}`),
            finish(),
          ),
        ],
      },
      ada: { idle: 'Ready.', turns: [busy('#1')] },
      bob: { idle: 'Ready.', turns: [busy('#2')] },
      cid: { idle: 'Ready.', turns: [busy('#3')] },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  let working = 0;
  let most = 0;
  for (const fact of team.facts) {
    if ((fact.type !== 'turn.started' && fact.type !== 'turn.ended') || fact.member === 'boss') continue;
    working += fact.type === 'turn.started' ? 1 : -1;
    most = Math.max(most, working);
  }
  expect(most).toBe(1);
});

describe('a disk that is full', () => {
  test('ends the run as failed, unrecorded, and everything acknowledged is there', async () => {
    const at = await writeMission(JOB);
    const whole = new MemoryDisk();
    await (await startMemoryJob(at, whole)).ended();
    const size = JSON.stringify([
      whole.entries,
      [...whole.transcripts.values()],
      [...whole.blobs.values()],
    ]).length;
    for (const share of [0.75, 0.9, 0.97]) {
      const again = await writeMission(JOB);
      const disk = new MemoryDisk(Math.floor(size * share));
      const team = await startMemoryJob(again, disk);
      expect(await team.ended(), `at ${share} of the space`).toMatchObject({
        reason: 'failed',
        exit: 1,
        cause: 'disk_full',
        recorded: false,
        resumable: true,
      });
      expect(disk.entries).toEqual(team.entries);
      for (const { member, entry } of team.transcripts)
        expect(disk.transcripts.get(member)?.entries).toContainEqual(entry);
      expect(fold(disk.entries).phase.kind).toBe('running');
    }
  });
});

test('a team that another process takes over ends here without a word in the record', async () => {
  const at = await writeMission(talker([{ ...does(list()), delay_ms: 60_000 }]));
  const disk = new MemoryDisk();
  const lost = new AbortController();
  const team = await startMemoryJob(at, disk, {}, lost.signal);
  await team.fact('budget.reserved');
  const before = disk.entries.length;
  lost.abort();
  expect(await team.ended()).toMatchObject({
    reason: 'failed',
    cause: 'error',
    detail: 'another process has taken the team over',
    recorded: false,
  });
  expect(disk.entries.slice(before).flatMap((entry) => entry.facts.map((fact) => fact.type))).not.toContain(
    'run.ended',
  );
});
