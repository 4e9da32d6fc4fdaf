// Cases D: dependencies and the completion protocol, on whole teams.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { teamStatus } from '../../src/runtime/teams.js';
import { fold } from '../../src/state/team-store.js';
import { isReady, waitingOn } from '../../src/team/board.js';
import { ORDER, runMission, startJob, writeMission } from '../helpers/team.js';
import {
  claim,
  complete,
  create,
  does,
  expectInvariants,
  finish,
  hearing,
  list,
  mailTo,
  says,
  stateBehind,
  update,
  when,
  works,
  write,
} from './play.js';

test('D78 cycles and self-edges are rejected with their path, in a call and in a recipe', async () => {
  const team = await runMission({
    roles: { boss: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(
              create(
                { id: 'a', subject: 'A', blocked_by: ['b'] },
                { id: 'b', subject: 'B', blocked_by: ['a'] },
              ),
            ),
            hearing(
              '^cycle: these tasks wait on each other: #1 → #2 → #1$',
              does(create({ id: 'a', subject: 'A', blocked_by: ['a'] })),
            ),
            hearing(
              '^cycle: these tasks wait on each other: #1 → #1$',
              does(
                create(
                  // The lead's own, so that nobody takes them while the edges are made.
                  { id: 'a', subject: 'A', role: 'boss' },
                  { id: 'b', subject: 'B', role: 'boss', blocked_by: ['a'] },
                  { id: 'c', subject: 'C', role: 'boss' },
                  { id: 'd', subject: 'D', role: 'boss' },
                ),
                update('#3', { add_blocked_by: ['#2'] }),
                update('#4', { add_blocked_by: ['#3'] }),
                update('#1', { add_blocked_by: ['#4'] }),
                update('#1', { add_blocks: ['#1'] }),
              ),
            ),
            hearing(
              [
                '^cycle: that would close a cycle: #1 → #4 → #3 → #2 → #1$',
                '^cycle: that would close a cycle: #1 → #1$',
              ],
              says('So be it.'),
            ),
          ),
          ...['#1', '#2', '#3', '#4'].map((task) => works(task)),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  // What was rejected has left nothing on the board.
  expect(team.of('task.created').map((fact) => fact.task)).toEqual(['#1', '#2', '#3', '#4']);
  expect(team.of('task.updated').map((fact) => [fact.task, fact.add_blocked_by])).toEqual([
    ['#3', ['#2']],
    ['#4', ['#3']],
  ]);
  expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#2', '#3', '#4']);
  expectInvariants(team);
});

test.each<[string, { id: string; subject: string; blocked_by: string[] }[], string]>([
  [
    'two tasks',
    [
      { id: 'a', subject: 'A', blocked_by: ['b'] },
      { id: 'b', subject: 'B', blocked_by: ['a'] },
    ],
    'a → b → a',
  ],
  ['one task', [{ id: 'a', subject: 'A', blocked_by: ['a'] }], 'a → a'],
  [
    'four tasks',
    ['a', 'b', 'c', 'd'].map((id, place) => ({
      id,
      subject: id,
      blocked_by: ['dabc'[place] ?? ''],
    })),
    'a → d → c → b → a',
  ],
])('D78 a recipe with a cycle of %s does not start', async (_what, tasks, path) => {
  const at = await writeMission({
    recipe: { tasks },
    roles: { boss: {} },
    script: { boss: { turns: [{ steps: [finish()] }] } },
  });
  const prepared = await prepareRun(at.house, ORDER);
  expect(prepared.kind).toBe('refused');
  const cycles = prepared.kind === 'refused' ? prepared.findings.filter((f) => f.code === 'task-cycle') : [];
  expect(cycles).toHaveLength(1);
  expect(cycles[0]).toMatchObject({ severity: 'error' });
  expect(cycles[0]?.message).toContain(path);
});

test('D80 a task that is made to wait in the call that completes the other is ready at once', async () => {
  const team = await runMission({
    recipe: {
      tasks: [
        { id: 't1', subject: 'First', role: 'worker' },
        { id: 't2', subject: 'Second', role: 'worker' },
      ],
    },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #2', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1'), complete('#1', { add_blocks: ['#2'] })),
            says('First done.'),
          ),
          works('#2'),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('task.updated')).toMatchObject([{ task: '#2', add_blocked_by: ['#1'] }]);
  const behind = stateBehind(team.entries, (fact) => fact.type === 'task.completed' && fact.task === '#1');
  const second = behind.tasks.get('#2');
  expect(second?.blockedBy).toEqual(new Set(['#1']));
  expect(second !== undefined && isReady(behind, second)).toBe(true);
  expect(team.of('task.blocked')).toEqual([]);
  // No task waits on one that has ended well, whatever entry one looks at.
  for (let length = 1; length <= team.entries.length; length++) {
    const state = fold(team.entries.slice(0, length));
    for (const task of state.tasks.values())
      for (const id of waitingOn(state, task)) expect(state.tasks.get(id)?.state.kind).not.toBe('completed');
  }
  expectInvariants(team);
});

test('D85 a last text without the completion is reminded of twice in the same session, tried once more, and its work is kept', async () => {
  const reminded = 'You ended your turn while you hold #1';
  const dawdles = (file: string): object[] => [
    when('Task #1 is ready', does(claim('#1'), write(file, 'work\n')), says('All done!')),
    when(reminded, says('I said that it is done.')),
    when(['This is the last reminder', reminded], says('Done, really.')),
  ];
  const team = await runMission({
    recipe: {
      tasks: [
        { id: 'job', subject: 'Do it', role: 'worker' },
        { id: 'next', subject: 'Go on', role: 'worker', blocked_by: ['job'] },
      ],
    },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('The task has failed', does(update('#2', { status: 'cancelled' })), says('Then not.')),
          when('Every task has ended, not all of them well', finish('partial')),
        ],
      },
      worker: { idle: 'Ready.', turns: [...dawdles('first.md'), ...dawdles('second.md')] },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'partial', exit: 3 });
  // At most two nudges an attempt, then a bounded retry, then the end of the task.
  expect(team.of('member.nudged').map(({ task, count }) => [task, count])).toEqual([
    ['#1', 1],
    ['#1', 2],
    ['#1', 1],
    ['#1', 2],
  ]);
  expect(team.of('task.claimed').map((fact) => fact.attempt)).toEqual([1, 2]);
  expect(team.of('task.released').map(({ attempt, reason }) => [attempt, reason])).toEqual([
    [1, 'no_progress'],
    [2, 'no_progress'],
  ]);
  expect(team.of('task.failed')).toMatchObject([{ task: '#1', cause: 'no_progress' }]);
  // The same session: one spawn, one memory that goes on through reminders and retry.
  expect(team.of('member.spawned').filter((fact) => fact.seat.member === 'worker')).toHaveLength(1);
  expect(team.of('member.restarted')).toEqual([]);
  const turns = team.of('turn.started').filter((fact) => fact.member === 'worker');
  expect(turns).toHaveLength(6);
  // What was done is kept.
  for (const file of ['first.md', 'second.md'])
    expect(await readFile(join(team.live.workspace, file), 'utf8')).toBe('work\n');
  expectInvariants(team);
});

test('D91 mail that says done changes nothing: what waits on the task is not released', async () => {
  const at = await writeMission({
    recipe: {
      tasks: [
        { id: 'make', subject: 'Make it', role: 'worker' },
        { id: 'use', subject: 'Use it', role: 'user', blocked_by: ['make'] },
      ],
    },
    roles: { boss: {}, worker: {}, user: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #2', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(mailTo('all', '#1 is completed, artifact registered')),
            says('Done, artifact registered.'),
          ),
          when('while you hold #1', does(complete('#1')), says('Now it is.')),
        ],
      },
      user: { idle: 'Ready.', turns: [works('#2')] },
    },
  });
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const said = team.numberOf((fact) => fact.type === 'mail.sent' && fact.kind === 'mail');
  const completed = team.numberOf((fact) => fact.type === 'task.completed' && fact.task === '#1');
  expect(said).toBeGreaterThan(0);
  expect(completed).toBeGreaterThan(said);
  // The user read the mail and had no offer before the state changed.
  expect(team.inputs('user')[0]).toContain('#1 is completed, artifact registered');
  const offered = team.numberOf(
    (fact) => fact.type === 'mail.sent' && fact.kind === 'offer' && fact.task === '#2',
  );
  expect(offered).toBeGreaterThan(completed);
  const then = stateBehind(team.entries, (fact) => fact.type === 'mail.sent' && fact.kind === 'mail');
  expect(then.tasks.get('#1')?.state.kind).toBe('claimed');
  const user = then.tasks.get('#2');
  expect(user !== undefined && waitingOn(then, user)).toEqual(['#1']);
  expectInvariants(team);
});

test('D98 lead, members and the command line see the same tasks under the same ids', async () => {
  const rows = (text: string): string[] => [...text.matchAll(/^(#\d+) /gmu)].map((match) => match[1] ?? '');
  const at = await writeMission({
    recipe: { tasks: [{ id: 'given', subject: 'Of the recipe', role: 'boss' }] },
    roles: { boss: {}, worker: {}, other: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(
              create({ subject: 'Look', role: 'worker' }, { subject: 'Look too', role: 'other' }),
              create({ subject: 'Wait', role: 'boss', blocked_by: ['#2', '#3'] }),
            ),
            does(list()),
            says('Made.'),
          ),
          when(['has completed #2', 'has completed #3'], says('Seen.')),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [when('Task #2 is ready', does(claim('#2'), list(), complete('#2')), says('Looked.'))],
      },
      other: {
        idle: 'Ready.',
        turns: [when('Task #3 is ready', does(claim('#3'), list(), complete('#3')), says('Looked.'))],
      },
    },
  });
  const team = await startJob(at);
  await team.fact('task.completed', (fact) => fact.task === '#2');
  await team.fact('task.completed', (fact) => fact.task === '#3');
  const created = team.of('task.created').map((fact) => fact.task);
  expect(created).toEqual(['#1', '#2', '#3', '#4']);
  for (const member of ['boss', 'worker', 'other']) {
    const lists = team.results(member).filter((text) => text.includes('[pending'));
    expect(lists, member).toHaveLength(1);
    expect(rows(lists[0] ?? ''), member).toEqual(created);
  }
  const status = await teamStatus(at.house, team.live.id);
  expect(status.kind === 'found' && status.value.tasks.map((task) => task.id)).toEqual(created);
  expectInvariants(team);
});
