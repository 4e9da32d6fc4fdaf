// Cases B33, C51, C53, C60, C61, D96: who has a turn when, and what is done once.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FactOf } from '../../src/events/event.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import { systemClock } from '../../src/shared/clock.js';
import { TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { decide } from '../../src/team/decide.js';
import { turnScope } from '../../src/team/evolve.js';
import { OPERATOR, started, Team, taskSpec } from '../helpers/build-state.js';
import { gate, waitAt } from '../helpers/gate.js';
import { resumeJob, runMission, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { numberOf, passes, turnsOf } from './look.js';
import {
  create,
  does,
  expectInvariants,
  finish,
  mailTo,
  says,
  shell,
  type Turn,
  update,
  when,
  works,
} from './play.js';

const BEGIN = when('', says('Begin.'));
const WORKERS = Array.from({ length: 8 }, (_, place) => `w${place + 1}`);

test('B33: of 20 short tasks all are done with 3 turns at a time; who has ended holds no slot', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const tasks = Array.from({ length: 20 }, (_, place) => ({
    id: `t${place}`,
    subject: `Task ${place}`,
    role: names[place % names.length],
  }));
  // Each has four of them, in the order of the board.
  const own = (place: number): Turn[] =>
    [0, 1, 2, 3].map((round) => works(`#${round * names.length + place + 1}`));
  const team = await runMission({
    recipe: { tasks, limits: { concurrency: 3 } },
    roles: { boss: {}, ...Object.fromEntries(names.map((name) => [name, {}])) },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN] },
      ...Object.fromEntries(names.map((name, place) => [name, { idle: 'Ready.', turns: own(place) }])),
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(new Set(team.of('task.completed').map((fact) => fact.task)).size).toBe(20);
  let active = 0;
  let most = 0;
  for (const fact of team.facts) {
    if (fact.type === 'turn.started') active++;
    if (fact.type === 'turn.ended') active--;
    most = Math.max(most, active);
  }
  expect(most).toBeLessThanOrEqual(3);
  expect(active).toBe(0);
  expectInvariants(team);
});

describe('C51 one claim is one decision at the place it was made for', () => {
  /** Eight live turns in a team with one task for all. */
  function eight(): Team {
    const team = Team.start({ seats: ['lead', ...WORKERS], limits: { members: 9 }, tasks: [{}] });
    team.ok({ kind: 'mail.send', by: OPERATOR, to: 'all', body: 'take #1', task: null });
    for (const member of WORKERS) team.turn(member);
    return team;
  }

  test('C51: 500 rounds in the core: what was decided on the state of before is decided again, and 1 of 8 has it', () => {
    for (let round = 0; round < 500; round++) {
      const team = eight();
      const order = [...WORKERS.slice(round % 8), ...WORKERS.slice(0, round % 8)];
      const command = (member: string): Command => ({ kind: 'task.claim', task: '#1', ...team.in(member) });
      for (const attempt of [1, 2]) {
        // All eight have looked at the same pending task, and all would have had it.
        const looked = order.map((member) => decide(team.state, `look/${member}`, command(member), team.now));
        expect(looked.every(({ kind }) => kind === 'accepted')).toBe(true);
        const answers = order.map((member) => team.do(command(member)));
        expect(answers.map((answer) => (answer.kind === 'refused' ? answer.code : 'claimed'))).toEqual([
          'claimed',
          ...Array(7).fill('already_claimed'),
        ]);
        const [first = ''] = order;
        team.ok({ kind: 'task.release', task: '#1', attempt, detail: 'back', ...team.in(first) });
      }
      expect(team.facts('task.claimed').map((fact) => fact.attempt)).toEqual([1, 2]);
    }
  });

  test('C51: 500 rounds through one store: one task.claimed an attempt, each entry at the place the log expected', async () => {
    const { log } = memoryRecord(new MemoryDisk());
    const store = await TeamStore.open(log, systemClock);
    let sent = 0;
    const send = (command: Command) => store.send(`s/${++sent}`, command);
    const tasks = [taskSpec({ subject: 'one for all' })];
    const run = started({ seats: ['lead', ...WORKERS], limits: { members: 9 } });
    await send({ kind: 'run.start', started: run, tasks, entries: [] });
    await send({ kind: 'mail.send', by: OPERATOR, to: 'all', body: 'take #1', task: null });
    const turns = new Map<string, number>();
    for (const member of WORKERS) {
      const outcome = await send({ kind: 'turn.start', member, cause: 1 });
      turns.set(member, outcome.kind === 'accepted' ? (outcome.first ?? 0) : 0);
    }
    for (let round = 1; round <= 500; round++) {
      const outcomes = await Promise.all(
        WORKERS.map(async (member) => {
          const turn = turns.get(member) ?? 0;
          const id = `${turnScope(member)}${turn}-${round}.0/`;
          return { member, outcome: await store.send(id, { kind: 'task.claim', member, turn, task: '#1' }) };
        }),
      );
      const won = outcomes.filter(({ outcome }) => outcome.kind === 'accepted');
      expect(won).toHaveLength(1);
      const member = won[0]?.member ?? '';
      await send({
        kind: 'task.release',
        task: '#1',
        attempt: round,
        detail: 'back',
        member,
        turn: turns.get(member) ?? 0,
      });
    }
    const entries = await log.read();
    const claims = entries.flatMap(({ facts }) => facts.filter((fact) => fact.type === 'task.claimed'));
    expect(claims.map((fact) => fact.attempt)).toEqual(Array.from({ length: 500 }, (_, place) => place + 1));
    let next = 1;
    for (const { first, facts } of entries) {
      expect(first).toBe(next);
      next += facts.length;
    }
  });
});

test('C53: turns on one exclusive workspace come one after the other, and the record says who waits behind whom', async () => {
  const names = ['one', 'two', 'three'];
  const role = { base: 'write', workspace: 'exclusive' };
  const at = await writeMission({
    recipe: { tasks: names.map((name) => ({ id: name, subject: `Build ${name}`, role: name })) },
    roles: { boss: {}, ...Object.fromEntries(names.map((name) => [name, role])) },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN] },
      ...Object.fromEntries(
        names.map((name, place) => [
          name,
          {
            idle: 'Ready.',
            turns: [
              // A directory can be made once: whoever finds it there is not alone.
              works(
                `#${place + 1}`,
                does(shell('mkdir building || touch clash')),
                does(waitAt('build')),
                does(shell('mv building built.{{member}}')),
              ),
            ],
          },
        ]),
      ),
    },
  });
  const build = await gate(at.workspace, 'build');
  const team = await startJob(at);
  for (let done = 0; done < names.length; done++) {
    await until(() => team.of('tool.started').length === done * 3 + 2, { what: 'one builds' });
    const waiting = names.length - 1 - done;
    await until(() => new Set(team.of('turn.deferred').map((fact) => fact.member)).size >= waiting, {
      what: 'the others wait',
    });
    await passes();
    const working = [...team.live.state().members.values()].filter(({ life }) => life.kind === 'working');
    expect(working).toHaveLength(1);
    await build.open();
  }
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  await expect(stat(join(at.workspace, 'clash'))).rejects.toThrow('ENOENT');
  expect(overlapping(team, names)).toBe(1);
  // It is said once a wait, by whom it is held up.
  for (const { member, behind } of team.of('turn.deferred')) {
    expect(names).toContain(behind);
    expect(member).not.toBe(behind);
  }
  expectInvariants(team);
});

/** The most turns of these members that ran at the same time. */
function overlapping(team: WatchedTeam, names: readonly string[]): number {
  let now = 0;
  let most = 0;
  for (const fact of team.facts) {
    if (fact.type === 'turn.started' && names.includes(fact.member)) most = Math.max(most, ++now);
    if (fact.type === 'turn.ended' && names.includes(fact.member)) now--;
  }
  return most;
}

test('C60: a task that is ready and a word about it wake its member once: one run, the other coalesced, 7 tasks done 7 times', async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7];
  const at = await writeMission({
    recipe: { limits: { concurrency: 1 } },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          // Both wakes stand in the record before the one slot is free.
          when(
            '',
            does(
              create(...ids.map((id) => ({ subject: `Item ${id}`, role: 'worker' }))),
              mailTo('worker', 'do them'),
            ),
            says('Go.'),
          ),
          when('has completed #7', finish()),
        ],
      },
      worker: { idle: 'Ready.', turns: ids.map((id) => works(`#${id}`, does(shell(`echo ${id} >> items`)))) },
    },
  });
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(await readFile(join(at.workspace, 'items'), 'utf8')).toBe(ids.map((id) => `${id}\n`).join(''));
  expect(team.of('task.claimed')).toHaveLength(7);
  const [first] = turnsOf(team, 'worker');
  const mail = team.of('mail.sent').find((fact) => fact.body === 'do them');
  const created = team.of('task.created')[0];
  // The word made it due first; the ready task of the same moment has no turn of its own.
  expect([first?.cause, ...(first?.coalesced ?? [])].sort((one, other) => (one ?? 0) - (other ?? 0))).toEqual(
    [numberOf(team, created), numberOf(team, mail)].sort((one, other) => one - other),
  );
  expect(first?.coalesced).toHaveLength(1);
  const answered = turnsOf(team, 'worker').flatMap(({ cause, coalesced }) => [cause, ...coalesced]);
  expect(new Set(answered).size).toBe(answered.length);
  expectInvariants(team);
});

test('C61: with one slot the lock on the workspace is taken at the start of a turn: what is assigned meanwhile runs after it', async () => {
  const role = { base: 'write', workspace: 'exclusive' };
  const at = await writeMission({
    recipe: { limits: { concurrency: 1 }, tasks: [{ id: 'x', subject: 'X', role: 'worker' }] },
    roles: { boss: {}, worker: role, other: role },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          BEGIN,
          when(
            'and Y',
            does(create({ subject: 'Y', role: 'worker' }, { subject: 'Z', role: 'other' })),
            says('Made.'),
          ),
        ],
      },
      worker: { idle: 'Ready.', turns: [works('#1', does(waitAt('x'))), works('#2')] },
      other: { idle: 'Ready.', turns: [works('#3')] },
    },
  });
  const x = await gate(at.workspace, 'x');
  const team = await startJob(at);
  await team.fact('tool.started');
  // A turn is assigned to the same member and to another one of that workspace while the only slot is taken.
  await team.live.send('lead', 'and Y');
  await team.live.send('other', 'you are next');
  await passes();
  expect(turnsOf(team, 'other')).toEqual([]);
  expect(
    [...team.live.state().members.values()]
      .filter(({ life }) => life.kind === 'working')
      .map(({ name }) => name),
  ).toEqual(['worker']);
  await x.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('task.completed').map((fact) => fact.task)).toEqual(
    expect.arrayContaining(['#1', '#2', '#3']),
  );
  const xEnded = numberOf(
    team,
    team.of('task.completed').find((fact) => fact.task === '#1'),
  );
  const claimed = (task: string): FactOf<'task.claimed'> | undefined =>
    team.of('task.claimed').find((fact) => fact.task === task);
  for (const task of ['#2', '#3']) expect(numberOf(team, claimed(task))).toBeGreaterThan(xEnded);
  expect(overlapping(team, ['worker', 'other'])).toBe(1);
  expectInvariants(team);
});

test('C60: each of 7 items that are ready and spoken of at one time is taken once', () => {
  const team = Team.start({ tasks: Array.from({ length: 7 }, () => ({ role: 'worker' })) });
  team.idles('lead');
  const taken: string[] = [];
  for (let item = 1; item <= 7; item++) {
    team.mail('operator', 'worker', `do #${item}`);
    // Two that want it woken come at one time: the second finds it at work, and both know of one turn.
    const start: Command = { kind: 'turn.start', member: 'worker', cause: 0 };
    expect([team.do(start), team.do(start)].map(({ kind }) => kind)).toEqual(['accepted', 'refused']);
    expect(team.facts('turn.started').at(-1)?.coalesced).toHaveLength(1);
    team.read('worker');
    taken.push(...team.member('worker').offers);
    team.claim('worker', `#${item}`);
    team.ok(team.completion('worker', `#${item}`));
    team.end('worker', { calls: 2 });
  }
  expect(taken).toEqual(['#1', '#2', '#3', '#4', '#5', '#6', '#7']);
  expect(team.facts('turn.started').filter(({ member }) => member === 'worker')).toHaveLength(7);
  expect(team.due()).not.toContain('worker');
});

test('D96: what is closed while it waits for its turn is offered to nobody, neither now nor after a restart', async () => {
  const at = await writeMission({
    recipe: {
      tasks: [
        { id: 'one', subject: 'One', role: 'worker' },
        { id: 'two', subject: 'Two', role: 'worker' },
        { id: 'three', subject: 'Three', role: 'worker' },
      ],
    },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          BEGIN,
          when('close #2', does(update('#2', { status: 'cancelled', detail: 'merged' })), says('Closed.')),
          when('has completed #3', finish('partial')),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [works('#1', does(waitAt('one'))), works('#3')],
      },
    },
  });
  await gate(at.workspace, 'one');
  const first = await startJob(at);
  await first.fact('tool.started');
  await first.live.send('lead', 'close #2');
  await first.fact('task.cancelled');
  const { id } = first.live;
  await first.live.stop('stop');
  expect(await first.ended()).toMatchObject({ reason: 'cancelled' });
  const on = await resumeJob(at, id);
  expect(await on.ended()).toMatchObject({ reason: 'partial' });
  const offers = [...first.entries, ...on.entries].flatMap(({ facts }) =>
    facts.flatMap((fact) => (fact.type === 'mail.sent' && fact.kind === 'offer' ? [fact.task] : [])),
  );
  expect(offers).not.toContain('#2');
  expect(on.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#3']);
});
