/** Cases C to G of `cases/teamwork.md`, as far as the pure core can show them: claims, dependencies, requests. */

import { describe, expect, test } from 'vitest';
import { waitingOn } from '../../src/team/board.js';
import type { Command } from '../../src/team/command.js';
import { decide } from '../../src/team/decide.js';
import { statusView } from '../../src/team/show/status.js';
import { aCall, OPERATOR, started, taskSpec } from '../helpers/build-start.js';
import { picture, Team } from '../helpers/build-state.js';
import { Random } from './walks/random.js';

/** A worker that holds task #1, while the lead has a turn of its own. */
function atWork(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ tasks: [{ role: 'worker' }], ...options });
  team.awake('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

test('C50 of eight members that claim one task at once exactly one wins, in each of 500 rounds', () => {
  const members = Array.from({ length: 8 }, (_, index) => `w${index}`);
  const team = Team.start({ seats: ['lead', ...members], limits: { members: 9 } });
  team.awake('lead');
  team.mail('operator', 'all');
  for (const member of members) team.awake(member);
  const random = new Random(50);
  for (let round = 1; round <= 500; round++) {
    team.ok({ kind: 'task.create', by: team.by('lead'), tasks: [taskSpec()] });
    const task = `#${round}`;
    const order = random.shuffled(members);
    const commands = order.map((member): Command => ({ kind: 'task.claim', task, ...team.in(member) }));
    // All eight decide on the same state: the barrier. One append finds the state as it was seen, seven decide again.
    const seen = commands.map((command, index) =>
      decide(team.state, `race/${round}/${index}`, command, team.now),
    );
    expect(seen.every((decision) => decision.kind === 'accepted')).toBe(true);
    const answers = commands.map((command) => team.do(command));
    const [winner = ''] = order;
    expect(answers.filter((answer) => answer.kind === 'accepted')).toHaveLength(1);
    const refusals = answers.filter((answer) => answer.kind === 'refused');
    expect(refusals).toHaveLength(7);
    for (const refusal of refusals) {
      expect(refusal.code).toBe('already_claimed');
      expect(refusal.message).toContain(`claimed by ${winner}, attempt 1`);
    }
    expect(team.task(task).state).toEqual({ kind: 'claimed', member: winner, attempt: 1 });
  }
  expect(team.facts('task.claimed')).toHaveLength(500);
});

test('C63 a second run of a task starts clean, and a turn without a call on it is no progress', () => {
  const team = atWork();
  team.ok({ kind: 'task.release', task: '#1', attempt: 1, detail: 'not now', ...team.in('worker') });
  expect(team.member('worker').claims.size).toBe(0);
  expect(team.task('#1').state.kind).toBe('pending');
  team.end('worker', { calls: 2 });
  team.ok(team.update('#1', { by: team.by('lead'), status: 'pending' }));
  team.awake('worker');
  expect(team.claim('worker', '#1')).toBe(2);
  team.end('worker', { text: 'standing by' });
  expect(team.facts('turn.ended').at(-1)?.outcome).toBe('no_progress');
  expect(team.task('#1').state.kind).toBe('claimed');
  team.awake('worker');
  team.ok(team.completion('worker', '#1'));
  expect(team.task('#1').state).toMatchObject({ kind: 'completed', attempt: 2 });
});

test('C66 a failure that is not retried ends claim, turn and task in one entry, and the reopened task is offered', () => {
  const team = atWork({ seats: ['lead', 'worker', { member: 'other', role: 'worker' }] });
  const entries = team.entries.length;
  team.ok({
    kind: 'turn.fail',
    upto: '',
    calls: 0,
    code: 'exit-3',
    error: 'no such model',
    ...team.in('worker'),
  });
  expect(team.entries).toHaveLength(entries + 1);
  expect(team.member('worker').claims.size).toBe(0);
  expect(team.member('worker').life.kind).toBe('errored');
  expect(team.task('#1').state.kind).toBe('failed');
  team.ok(team.update('#1', { by: team.by('lead'), status: 'pending' }));
  expect(team.due()).toContain('other');
  team.awake('other');
  expect(team.claim('other', '#1')).toBe(2);
});

test('C70 the late report of a first worker is refused as stale_attempt and kept, and changes nothing', () => {
  const team = atWork({ seats: ['lead', 'worker', { member: 'second', role: 'worker' }] });
  const late = team.completion('worker', '#1');
  team.ok(team.update('#1', { by: team.by('lead'), status: 'cancelled' }));
  team.ok(team.update('#1', { by: team.by('lead'), status: 'pending' }));
  team.awake('second');
  expect(team.claim('second', '#1')).toBe(2);
  const before = team.task('#1');
  expect(team.refusal(late)).toBe(
    'stale_attempt: attempt 1 of #1 is over: it is claimed by second, attempt 2; nothing was changed',
  );
  expect(team.task('#1')).toEqual(before);
  expect(team.facts('write.refused')).toMatchObject([
    { task: '#1', member: 'worker', attempt: 1, code: 'stale_attempt', summary: '#1 is done' },
  ]);
  team.ok(team.completion('second', '#1'));
  expect(team.facts('task.completed')).toHaveLength(1);
});

describe('D78 cycles are refused with their path printed', () => {
  /** Four tasks of the lead without edges. */
  function four(): Team {
    const team = Team.start();
    team.awake('lead');
    const tasks = Array.from({ length: 4 }, () => taskSpec());
    team.ok({ kind: 'task.create', by: team.by('lead'), tasks });
    return team;
  }

  test('A waits on B and B on A', () => {
    const team = four();
    team.ok(team.update('#1', { addBlockedBy: ['#2'] }));
    expect(team.refusal(team.update('#2', { addBlockedBy: ['#1'] }))).toMatch(/^cycle: .*#1 → #2 → #1$/);
    expect(team.refusal(team.update('#1', { addBlocks: ['#2'] }))).toMatch(/^cycle: .*#1 → #2 → #1$/);
    expect([...team.task('#2').blockedBy]).toEqual([]);
  });

  test('A waits on A', () => {
    const team = four();
    expect(team.refusal(team.update('#3', { addBlockedBy: ['#3'] }))).toMatch(/^cycle: .*#3 → #3$/);
    const own = taskSpec({ key: 'own', blocked_by: ['own'] });
    expect(team.refusal({ kind: 'task.create', by: team.by('lead'), tasks: [own] })).toMatch(/#5 → #5$/);
  });

  test('four tasks in a ring, closed by an update', () => {
    const team = four();
    team.ok(team.update('#1', { addBlockedBy: ['#2'] }));
    team.ok(team.update('#2', { addBlockedBy: ['#3'] }));
    team.ok(team.update('#3', { addBlockedBy: ['#4'] }));
    expect(team.refusal(team.update('#4', { addBlockedBy: ['#1'] }))).toMatch(/#1 → #2 → #3 → #4 → #1$/);
  });

  test('in the tasks of a recipe: nothing is created', () => {
    const team = new Team();
    const tasks = [taskSpec({ key: 'a', blocked_by: ['b'] }), taskSpec({ key: 'b', blocked_by: ['a'] })];
    const start: Command = { kind: 'run.start', started: started(), tasks, entries: [] };
    expect(team.refusal(start)).toMatch(/^cycle: .*#1 → #2 → #1$/);
    expect(team.entries).toEqual([]);
  });
});

test('D80 a task that is completed and made a dependency in one call leaves the other ready at once', () => {
  const team = atWork({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
  team.ok(team.completion('worker', '#1', { addBlocks: ['#2'] }));
  expect([...team.task('#2').blockedBy]).toEqual(['#1']);
  expect(waitingOn(team.state, team.task('#2'))).toEqual([]);
  team.end('worker', { calls: 1 });
  expect(team.due()).toContain('worker');
  team.awake('worker');
  expect(team.claim('worker', '#2')).toBe(1);
});

test('D85 a last text instead of the completion: two reminders in the same session, a bounded retry, work is kept', () => {
  const team = atWork();
  const spawned = team.facts('member.spawned').length;
  team.end('worker', { text: 'it is all done', calls: 3 });
  for (const count of [1, 2]) {
    expect(team.facts('member.nudged').at(-1)).toMatchObject({ member: 'worker', task: '#1', count });
    expect(team.inbox('worker')[0]).toContain('team_task_complete');
    expect(team.task('#1').state).toMatchObject({ kind: 'claimed', attempt: 1 });
    team.idles('worker', { text: 'it is all done' });
  }
  expect(team.facts('task.released')).toMatchObject([{ task: '#1', attempt: 1, reason: 'no_progress' }]);
  expect(team.inbox('lead').join('\n')).toContain('What was done is kept. It is offered again.');
  expect(team.facts('member.spawned')).toHaveLength(spawned);
  team.awake('worker');
  expect(team.claim('worker', '#1')).toBe(2);
  for (const _ of [1, 2]) {
    team.end('worker', { text: 'it is all done' });
    team.awake('worker');
  }
  team.end('worker', { text: 'it is all done' });
  expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'no_progress' });
  expect(team.member('worker').lastText).toBe('it is all done');
  expect(team.due()).not.toContain('worker');
});

test('D91 a message that says done changes nothing: the task stays claimed and its dependents wait', () => {
  const team = atWork({
    seats: ['lead', 'worker', 'next'],
    tasks: [
      { key: 'a', role: 'worker' },
      { role: 'next', blocked_by: ['a'] },
    ],
  });
  team.mail('worker', 'lead', 'done, artifact registered');
  team.end('worker', { text: 'done, artifact registered', calls: 1 });
  expect(team.task('#1').state.kind).toBe('claimed');
  expect(team.task('#2').state.kind).toBe('pending');
  expect(waitingOn(team.state, team.task('#2'))).toEqual(['#1']);
  expect(team.due()).not.toContain('next');
  team.awake('worker');
  team.ok(team.completion('worker', '#1'));
  expect(team.due()).toContain('next');
});

test('D98 what the lead creates is on the one board that every member, the status and the record show', () => {
  const team = atWork({ tasks: [{ key: 'recipe', role: 'worker' }] });
  const made = team.ok({ kind: 'task.create', by: team.by('lead'), tasks: [taskSpec(), taskSpec()] });
  const ids = ['#1', '#2', '#3'];
  expect(made.map((fact) => (fact.type === 'task.created' ? fact.task : ''))).toEqual(['#2', '#3']);
  expect([...team.state.tasks.keys()]).toEqual(ids);
  expect(statusView(team.state, 'team').tasks.map((task) => task.id)).toEqual(ids);
  expect([...team.refold().tasks.keys()]).toEqual(ids);
});

describe('E105 each kind of request comes back to its asker with the answer', () => {
  test.each([
    ['plan', 'approve'],
    ['plan', 'revise'],
    ['confirmation', 'approve'],
    ['confirmation', 'deny'],
    ['question', 'answer'],
    ['question', 'skip'],
  ] as const)('%s: %s', (kind, decision) => {
    const team = Team.start({ seats: ['lead', { member: 'worker', plan_mode: true }] });
    team.idles('lead');
    team.mail('operator', 'worker');
    team.awake('worker');
    const request = team.park('worker', { kind, plan: kind === 'plan' ? 'step by step' : null });
    if (kind === 'plan') {
      team.turn('lead');
      expect(team.inbox('lead')[0]).toContain('team_plan_decide');
      expect(team.inbox('lead')[0]).toContain('step by step');
      const { digest = '' } = team.state.requests.get(request) ?? {};
      team.ok({ kind: 'request.decide', by: team.by('lead'), request, decision, text: 'thus', digest });
      expect(team.member('worker').plan.kind).toBe(decision === 'approve' ? 'approved' : 'required');
    } else {
      team.ok({ kind: 'request.decide', by: OPERATOR, request, decision, text: 'thus', digest: null });
    }
    expect(team.state.requests.get(request)?.status).toMatchObject({
      kind: 'decided',
      decision,
      text: 'thus',
    });
    expect(team.due()).toContain('worker');
    team.awake('worker');
    team.end('worker', { calls: 1 });
    expect(team.state.requests.get(request)?.status.kind).toBe('decided');
  });

  test('shutdown: the lead stops a member, which closes what it asked and tells the lead', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.awake('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    const request = team.park('worker');
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' });
    expect(team.member('worker').life).toEqual({ kind: 'stopped', by: 'operator' });
    expect(team.state.requests.get(request)?.status).toMatchObject({ kind: 'withdrawn' });
    expect(team.task('#1').state.kind).toBe('pending');
    expect(team.inbox('lead')).toEqual(['worker was stopped by operator: enough. Back on the board: #1.']);
    const again = team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' });
    expect(again).toEqual([]);
  });
});

test('F135 a team is created in one entry: after a crash it is there with all members and tasks, or not at all', () => {
  const seats = ['lead', 'one', 'two', 'three', 'four'];
  const tasks = Array.from({ length: 9 }, (_, index) => ({ key: `t${index}` }));
  const team = Team.start({ seats, tasks });
  expect(team.entries).toHaveLength(1);
  const nothing = new Team();
  expect(nothing.refusal({ kind: 'run.resume', host: 'host', disabled: [], findings: [] })).toMatch(
    /^not_started: .*never started/,
  );
  team.resume();
  expect([...team.state.members.keys()]).toEqual(seats);
  expect(team.state.tasks.size).toBe(9);
  expect([...team.state.members.values()].map((member) => member.life.kind)).toEqual(seats.map(() => 'idle'));
  expect(team.due()[0]).toBe('lead');
});

test('G165 a stop reaches everybody, takes no new work, may be said twice and is no failure', () => {
  const team = atWork({ seats: ['lead', 'worker', 'idle'], tasks: [{ role: 'worker' }, { role: 'idle' }] });
  expect(team.due()).toEqual(['idle']);
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
  expect(team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' })).toEqual([]);
  expect(team.due()).toEqual([]);
  expect(team.refusal({ kind: 'turn.start', member: 'idle', cause: 1 })).toMatch(/^not_running/);
  expect(team.refusal({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') })).toMatch(/^stopping/);
  expect(team.sweep()).toEqual([]);
  team.end('worker', { outcome: 'cancelled' });
  team.end('lead', { outcome: 'cancelled' });
  team.sweep();
  expect(team.facts('run.ended')).toMatchObject([
    { reason: 'cancelled', exit: 130, cause: null, closed_by: 'operator' },
  ]);
  const after = picture(team.state);
  expect(team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' })).toEqual([]);
  team.sweep();
  expect(picture(team.state)).toBe(after);
  team.resume();
  expect(team.task('#1').state).toMatchObject({ kind: 'claimed', member: 'worker', attempt: 1 });
  expect(team.due()).toEqual(['lead', 'worker', 'idle']);
});
