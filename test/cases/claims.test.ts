// Cases C: claims, attempts and their fences, on whole teams and on several writers of one record.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/events/event.js';
import { openFileRecord } from '../../src/events/file-record.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import type { EventLog } from '../../src/events/record.js';
import { systemClock } from '../../src/shared/clock.js';
import { type Outcome, TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { turnScope } from '../../src/team/evolve.js';
import { barrier } from '../helpers/barrier.js';
import { OPERATOR, started, taskSpec } from '../helpers/build-state.js';
import { gate, waitAt } from '../helpers/gate.js';
import { runMission, startJob, writeMission } from '../helpers/team.js';
import { tempDir } from '../helpers/temp-dir.js';
import {
  block,
  type Call,
  claim,
  complete,
  create,
  does,
  expectInvariants,
  finish,
  hearing,
  mailTo,
  says,
  shell,
  stateBehind,
  update,
  when,
  works,
  write,
} from './play.js';

const WORKERS = Array.from({ length: 8 }, (_, place) => `w${place + 1}`);

describe('C50 8 workers claim one task at a barrier', () => {
  /** A running team in the log: one task, and a live turn of each worker. */
  async function prepare(log: EventLog): Promise<ReadonlyMap<string, number>> {
    const store = await TeamStore.open(log, systemClock);
    let sent = 0;
    const send = (command: Command): Promise<Outcome> => store.send(`prepare/${++sent}`, command);
    const tasks = [taskSpec({ subject: 'one for all' })];
    await send({
      kind: 'run.start',
      started: started({ seats: ['lead', ...WORKERS], limits: { members: 9 } }),
      tasks,
      entries: [],
    });
    await send({ kind: 'mail.send', by: OPERATOR, to: 'all', body: 'take #1', task: null });
    const turns = new Map<string, number>();
    for (const member of WORKERS) {
      const outcome = await send({ kind: 'turn.start', member, cause: 1 });
      if (outcome.kind !== 'accepted' || outcome.first === null) throw new Error(JSON.stringify(outcome));
      turns.set(member, outcome.first);
    }
    return turns;
  }

  interface Race {
    readonly executed: string[];
    readonly outcomes: ReadonlyMap<string, Outcome>;
    readonly claims: readonly Fact[];
  }

  /** Every worker has a store of its own over the one log; the winner does the work. */
  async function race(log: EventLog, order: readonly string[]): Promise<Race> {
    const turns = await prepare(log);
    const stores = await Promise.all(order.map(() => TeamStore.open(log, systemClock)));
    const start = barrier(order.length);
    const executed: string[] = [];
    const outcomes = new Map<string, Outcome>();
    await Promise.all(
      order.map(async (member, place) => {
        const store = stores[place];
        if (store === undefined) throw new Error('no store');
        await start.arrive();
        const turn = turns.get(member) ?? 0;
        const id = `${turnScope(member)}${turn}-1.0/`;
        const outcome = await store.send(id, { kind: 'task.claim', member, turn, task: '#1' });
        outcomes.set(member, outcome);
        if (outcome.kind === 'accepted') executed.push(member);
      }),
    );
    const claims = (await log.read()).flatMap(({ facts }) => facts.filter((f) => f.type === 'task.claimed'));
    return { executed, outcomes, claims };
  }

  function expectOneWinner({ executed, outcomes, claims }: Race): void {
    expect(executed).toHaveLength(1);
    const [winner] = executed;
    const told = [...outcomes].filter(([member]) => member !== winner).map(([, outcome]) => outcome);
    expect(told).toHaveLength(7);
    for (const outcome of told) {
      const message = `#1 is claimed by ${winner}, attempt 1; take another task`;
      expect(outcome).toEqual({ kind: 'refused', code: 'already_claimed', message });
    }
    expect(claims).toEqual([{ type: 'task.claimed', task: '#1', member: winner, attempt: 1 }]);
  }

  test('C50 500 rounds over one record in memory: exactly 1 winner, 7 are told by whom and which attempt, 1 execution', async () => {
    const winners = new Set<string | undefined>();
    for (let round = 0; round < 500; round++) {
      const order = [...WORKERS.slice(round % 8), ...WORKERS.slice(0, round % 8)];
      const conflicts = { count: 0 };
      const { log } = memoryRecord(new MemoryDisk());
      const run = await race(counting(log, conflicts), order);
      expectOneWinner(run);
      // All eight had decided before one of them was first: seven were sent back by the log itself.
      expect(conflicts.count).toBe(7);
      winners.add(run.executed[0]);
    }
    expect(winners).toEqual(new Set(WORKERS));
  });

  test('C50 once over a record on disk', async () => {
    const folder = join(await tempDir('claims'), 'run-a');
    const record = await openFileRecord(folder, { clock: systemClock, mode: 'create' });
    expectOneWinner(await race(record.log, WORKERS));
    await record.close();
  });

  test('C50 in one team, of 8 members that claim at once 1 has the task and completes it', async () => {
    const worker = {
      turns: [
        // They meet before they claim, and again before the winner reports.
        when(
          'take #1',
          does(meet('here')),
          does(claim('#1'), meet('asked')),
          does(complete('#1')),
          says('I have tried.'),
        ),
      ],
    };
    const roles = Object.fromEntries(WORKERS.map((name) => [name, { base: 'write' }]));
    const team = await runMission({
      recipe: { limits: { members: 9, concurrency: 9 } },
      roles: { boss: {}, ...roles },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', does(create({ subject: 'one for all' }), mailTo('all', 'take #1')), says('Go.')),
            when(
              WORKERS.map((name) => `${name} is idle`),
              finish(),
            ),
          ],
        },
        ...Object.fromEntries(WORKERS.map((name) => [name, worker])),
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const [claimed, ...others] = team.of('task.claimed');
    expect(claimed).toMatchObject({ task: '#1', attempt: 1 });
    expect(others).toEqual([]);
    const winner = claimed?.member ?? '';
    const told = WORKERS.filter((name) => name !== winner).flatMap((name) => team.results(name));
    const taken = `already_claimed: #1 is claimed by ${winner}, attempt 1; take another task`;
    expect(told.filter((text) => text === taken)).toHaveLength(7);
    expect(team.of('task.completed')).toMatchObject([{ task: '#1', member: winner, attempt: 1 }]);
    expectInvariants(team);
  });
});

test('C63 a task that was given back is worked on again, and a turn that only stands by counts as no progress', async () => {
  const team = await runMission({
    recipe: { tasks: [{ id: 'twice', subject: 'Write it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('has blocked #1', does(update('#1', { status: 'pending' })), says('Once more.')),
          when('has completed #1', finish()),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1'), write('first.md', 'half\n'), block('#1', 'which word?')),
            says('Blocked.'),
          ),
          when('Task #1 is ready', says('Standing by.')),
          when(
            'without a word on #1',
            does(claim('#1'), write('second.md', 'whole\n'), complete('#1')),
            says('Written.'),
          ),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  // Everything that says who has it is cleared in one step.
  const between = stateBehind(team.entries, (fact) => fact.type === 'task.blocked');
  expect(between.members.get('worker')).toMatchObject({ claims: new Set(), offers: new Set() });
  expect(between.tasks.get('#1')).toMatchObject({ state: { kind: 'blocked' }, offer: null });
  // The second run does real work.
  expect(team.of('task.claimed').map((fact) => fact.attempt)).toEqual([1, 2]);
  const second = team.numberOf((fact) => fact.type === 'task.claimed' && fact.attempt === 2);
  expect(team.facts.slice(second).some((fact) => fact.type === 'tool.started')).toBe(true);
  expect(await readFile(join(team.live.workspace, 'second.md'), 'utf8')).toBe('whole\n');
  expect(team.of('task.completed')).toMatchObject([{ task: '#1', attempt: 2 }]);
  // A success without a call on an open task is flagged, not believed.
  const standing = team.of('turn.ended').find((fact) => fact.text === 'Standing by.');
  expect(standing).toMatchObject({ outcome: 'no_progress', calls: 0 });
  expect(team.of('member.nudged')).toEqual([
    { type: 'member.nudged', member: 'worker', task: '#1', count: 1 },
  ]);
  expectInvariants(team);
});

test('C66 a failure that no retry mends takes claim, running turn and task in one step, and the task is dispatched again', async () => {
  const team = await runMission({
    recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: {}, helper: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            'worker has failed',
            does(update('#1', { status: 'pending', role: 'helper' })),
            says('The helper shall do it.'),
          ),
          when('has completed #1', finish()),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when('Task #1 is ready', does(claim('#1')), {
            fail: { kind: 'fatal', code: 'key-revoked', message: 'the key was revoked' },
          }),
        ],
      },
      helper: { idle: 'Ready.', turns: [works('#1')] },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const step = team.entries.find((entry) => entry.facts.some((fact) => fact.type === 'member.failed'));
  expect(step?.commands).toHaveLength(1);
  expect(step?.facts.map((fact) => fact.type)).toEqual([
    'turn.ended',
    'member.failed',
    'task.failed',
    'mail.sent',
  ]);
  const behind = stateBehind(team.entries, (fact) => fact.type === 'member.failed');
  expect(behind.members.get('worker')).toMatchObject({
    claims: new Set(),
    life: { kind: 'errored', code: 'key-revoked' },
  });
  expect(behind.tasks.get('#1')?.state).toMatchObject({ kind: 'failed', cause: 'member_failed' });
  const reopened = team.numberOf((fact) => fact.type === 'task.reopened');
  const offered = team.facts
    .slice(reopened)
    .find((fact) => fact.type === 'mail.sent' && fact.kind === 'offer');
  expect(offered).toMatchObject({ to: ['helper'], task: '#1' });
  expect(team.of('task.completed')).toMatchObject([{ task: '#1', member: 'helper', attempt: 2 }]);
  expectInvariants(team);
});

test('C70 who was slow and alive reports late: refused as stale_attempt, nothing is changed', async () => {
  const at = await writeMission({
    recipe: { tasks: [{ id: 'job', subject: 'Do it' }] },
    roles: { boss: {}, slow: { base: 'write' }, fast: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            'drop #1',
            does(
              update('#1', { status: 'cancelled', detail: 'too slow' }),
              update('#1', { status: 'pending' }),
            ),
            says('Somebody else.'),
          ),
          when(['fast has completed #1', 'slow is idle'], finish()),
        ],
      },
      slow: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(waitAt('finished'), complete('#1', { summary: 'mine' })),
            hearing('stale_attempt: attempt 1 of #1 is over', says('Too late.')),
          ),
        ],
      },
      fast: { idle: 'Ready.', turns: [works('#1')] },
    },
  });
  const finished = await gate(at.workspace, 'finished');
  const team = await startJob(at);
  await team.fact('tool.started');
  await team.live.send('lead', 'drop #1');
  await team.fact('task.completed');
  await finished.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('task.claimed').map(({ member, attempt }) => [member, attempt])).toEqual([
    ['slow', 1],
    ['fast', 2],
  ]);
  const late = team.of('write.refused');
  expect(late).toMatchObject([
    { task: '#1', member: 'slow', attempt: 1, code: 'stale_attempt', summary: 'mine' },
  ]);
  expect(late[0]?.detail).toBe('attempt 1 of #1 is over: it is completed; nothing was changed');
  // The report is kept as evidence and the board is as it was.
  const before = stateBehind(team.entries, (fact) => fact.type === 'task.completed').tasks.get('#1');
  const after = stateBehind(team.entries, (fact) => fact.type === 'write.refused').tasks.get('#1');
  expect(after).toEqual(before);
  expect(after?.state).toMatchObject({ kind: 'completed', member: 'fast', attempt: 2 });
  expect(team.of('task.completed')).toHaveLength(1);
  expectInvariants(team);
});

/** The log, with its conflicts counted. */
function counting(log: EventLog, conflicts: { count: number }): EventLog {
  return {
    writers: log.writers,
    read: (from) => log.read(from),
    append: async (entry) => {
      const outcome = await log.append(entry);
      if (outcome.kind === 'conflict') conflicts.count++;
      return outcome;
    },
  };
}

/** The call in which each of the eight waits for the others. */
function meet(where: string): Call {
  const others = WORKERS.map((name) => `until [ -e ${name}.${where} ]; do sleep 0.02; done`);
  return shell([`touch {{member}}.${where}`, ...others].join('; '));
}
