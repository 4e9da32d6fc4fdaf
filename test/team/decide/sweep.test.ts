import { describe, expect, test } from 'vitest';
import type { TaskSpec } from '../../../src/events/facts/frozen.js';
import type { EndReason } from '../../../src/events/facts/run.js';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

const ending = (team: Team) => team.facts('run.ended').at(-1);

/** Does what is due, each member with a word, until nothing is; looks; and so on until the run has ended. */
function untilEnd(team: Team, most = 60): Team {
  for (let turn = 0; team.state.phase.kind !== 'ended'; turn++) {
    if (turn > most) throw new Error('the run does not end');
    const [member] = team.due();
    if (member === undefined) team.sweep();
    else team.idles(member, { text: `${member} speaks` });
  }
  return team;
}

describe('a look at a team in which', () => {
  test('something is due or somebody works changes nothing', () => {
    const team = Team.start();
    expect(team.sweep()).toEqual([]);
    team.turn('lead');
    expect(team.sweep()).toEqual([]);
  });

  test('a task is open that nobody takes: the lead is told twice why, then it has stalled', () => {
    const team = Team.start({
      seats: ['lead', { member: 'helper', on_demand: true }],
      tasks: [{ role: 'helper' }],
    });
    untilEnd(team);
    expect(team.facts('run.nudged').map((fact) => fact.about)).toEqual(['stalled', 'stalled']);
    expect(team.facts('run.nudged')[1]?.text).toContain('This is the last reminder before the run ends.');
    expect(ending(team)).toMatchObject({ reason: 'stalled', exit: 7, open_tasks: ['#1'] });
    expect(ending(team)?.detail).toContain('nobody of role helper');
  });

  test('all tasks have ended, not all well: the lead is told, then it is partial when one is completed', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }, {}] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 1 });
    team.ok(team.update('#2', { status: 'cancelled' }));
    untilEnd(team);
    expect(team.facts('run.nudged')[0]?.text).toContain('#2 cancelled');
    expect(ending(team)).toMatchObject({
      reason: 'partial',
      exit: 3,
      result: 'lead speaks',
      closed_by: 'runtime',
    });
  });

  test('no task was completed: it has failed', () => {
    const team = Team.start({ tasks: [{}] });
    team.ok(team.update('#1', { status: 'failed' }));
    expect(ending(untilEnd(team))).toMatchObject({ reason: 'failed', cause: 'error', exit: 1 });
  });

  test('a required task has no result: it is unverified, whatever else is done', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }, { required: true }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 1 });
    team.ok(team.update('#2', { status: 'cancelled' }));
    expect(ending(untilEnd(team))).toMatchObject({
      reason: 'unverified',
      exit: 8,
      detail: 'no result of #2',
    });
  });

  test('somebody waits for an answer: with an operator it waits, without one it needs a human', () => {
    const team = Team.start();
    team.awake('lead');
    team.park('lead', { kind: 'question' });
    expect(team.sweep(true)).toEqual([]);
    team.sweep(false);
    expect(ending(team)).toMatchObject({
      reason: 'needs_human',
      exit: 4,
      open_requests: ['r1'],
      detail: 'waits for r1',
    });
  });

  test('somebody waits for an answer that has its time: nobody is needed before it is up', () => {
    const team = Team.start({ request_timeout_ms: 1_000 });
    team.awake('lead');
    team.park('lead', { kind: 'question' });
    expect(team.sweep(false)).toEqual([]);
    team.now = 1_000;
    expect(team.sweep(false)).toMatchObject([{ type: 'request.expired', request: 'r1' }]);
    expect(team.due()).toEqual(['lead']);
  });

  test('a plan waits for a lead that is free: it is told which, twice, and then a human is needed', () => {
    const team = Team.start({ seats: ['lead', { member: 'worker', plan_mode: true }] });
    team.mail('operator', 'worker');
    team.awake('worker');
    team.park('worker', { kind: 'plan', plan: 'step by step' });
    untilEnd(team);
    expect(team.facts('run.nudged').map((fact) => fact.about)).toEqual(['stalled', 'stalled']);
    expect(team.facts('run.nudged')[0]?.text).toContain(
      'r1: the plan of worker waits for you (team_plan_decide)',
    );
    expect(ending(team)).toMatchObject({ reason: 'needs_human' });
  });

  test('a plan waits for a lead that waits itself: it is not told what it cannot read', () => {
    const team = Team.start({ seats: ['lead', { member: 'worker', plan_mode: true }] });
    team.mail('operator', 'worker');
    team.awake('worker');
    team.park('worker', { kind: 'plan', plan: 'step by step' });
    team.awake('lead');
    team.park('lead', { kind: 'question' });
    team.sweep();
    expect(team.facts('run.nudged')).toEqual([]);
    expect(ending(team)).toMatchObject({ reason: 'needs_human' });
  });

  test('the lead has failed: no turn starts any more, and it has failed when the last one is over', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'] });
    team.mail('operator', 'all');
    team.awake('one');
    team.turn('lead');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('lead') });
    expect(team.due()).toEqual([]);
    expect(team.sweep()).toEqual([]);
    team.end('one');
    team.sweep();
    expect(ending(team)).toMatchObject({
      reason: 'failed',
      cause: 'error',
      detail: 'the lead has failed: gone',
    });
  });

  test('time is up: it is over when the running turns are, with what was reached', () => {
    const team = Team.start({ limits: { wall_minutes: 1 } });
    team.awake('lead');
    team.now = 60_000;
    expect(team.sweep()).toEqual([]);
    team.end('lead');
    team.sweep();
    expect(team.facts('limit.reached')).toMatchObject([{ limit: 'wall_minutes', value: 1 }]);
    expect(ending(team)).toMatchObject({ reason: 'deadline', exit: 6 });
  });
});

test('when several ends hold the first of the list is named: a stop before a limit, a limit before a question', () => {
  const both = (): Team => {
    const team = Team.start({ limits: { turns: 1 } });
    team.awake('lead');
    team.park('lead', { kind: 'question' });
    return team;
  };
  const limited = both();
  limited.sweep();
  expect(ending(limited)).toMatchObject({ reason: 'budget', open_requests: ['r1'] });
  const stopped = both();
  stopped.ok({ kind: 'run.stop', by: 'operator', cause: 'hangup' });
  stopped.sweep();
  expect(ending(stopped)).toMatchObject({ reason: 'cancelled', exit: 129 });
});

/** Both hold; which of the two is the first of the list in spec/team.md §7. */
const NEIGHBOURS: readonly (readonly [first: EndReason, second: EndReason, both: () => Team])[] = [
  [
    'cancelled',
    'failed',
    () => {
      const team = fallen(Team.start());
      team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
      return team;
    },
  ],
  ['failed', 'budget', () => fallen(Team.start({ limits: { turns: 1 } }))],
  [
    'budget',
    'deadline',
    () => {
      const team = Team.start({ limits: { turns: 1, wall_minutes: 1 } });
      team.idles('lead');
      team.now += 60_000;
      return team;
    },
  ],
  [
    'deadline',
    'needs_human',
    () => {
      const team = Team.start({ limits: { wall_minutes: 1 } });
      team.awake('lead');
      team.park('lead', { kind: 'question' });
      team.now += 60_000;
      return team;
    },
  ],
  [
    'needs_human',
    'unverified',
    () => {
      const team = Team.start({ seats: ['lead', 'worker'], tasks: [{ required: true, role: 'nobody' }] });
      team.awake('lead');
      team.park('lead', { kind: 'question' });
      return team;
    },
  ],
  ['unverified', 'stalled', () => stuck({ required: true, role: 'nobody' })],
  [
    'stalled',
    'partial',
    () => {
      const team = stuck({ role: 'nobody' }, {}, { role: 'nobody' });
      team.ok(team.update('#3', { status: 'failed' }));
      return team;
    },
  ],
  [
    'partial',
    'done',
    () => {
      const team = Team.start({ seats: ['lead', 'worker'], tasks: [{ role: 'worker' }, { role: 'worker' }] });
      team.idles('lead');
      team.awake('worker');
      team.claim('worker', '#1');
      team.ok(team.completion('worker', '#1'));
      team.end('worker', { calls: 1 });
      team.ok(team.update('#2', { status: 'failed' }));
      return team;
    },
  ],
];

test.each(NEIGHBOURS)('when an end as %s and one as %s hold, the first is named', (first, _, both) => {
  const team = both();
  untilEnd(team);
  expect(ending(team)).toMatchObject({ reason: first });
});

/** The lead has failed, and nobody works. */
function fallen(team: Team): Team {
  team.awake('lead');
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'x', error: 'x', ...team.in('lead') });
  return team;
}

/** Tasks that nobody takes, and a lead that has no more to say. */
function stuck(...tasks: readonly Partial<TaskSpec>[]): Team {
  const team = Team.start({ seats: ['lead', 'worker'], tasks: [...tasks] });
  team.idles('lead');
  return team;
}

test('the count of warnings starts again when the board changes, and not when it does not', () => {
  const team = Team.start();
  team.idles('lead');
  team.sweep();
  expect(team.state.told).toBe(1);
  team.mail('operator', 'lead');
  team.idles('lead');
  expect(team.state.told).toBe(1);
  team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec({ role: 'worker' })] });
  expect(team.state.told).toBe(0);
});

test('a stopped run can be resumed after each end but a final one, and tells the lead anew', () => {
  const team = Team.start();
  untilEnd(team);
  expect(ending(team)).toMatchObject({ reason: 'failed', cause: 'empty_plan' });
  team.resume();
  expect(team.state.told).toBe(0);
  untilEnd(team);
  expect(team.facts('run.nudged')).toHaveLength(4);
});

test('a final end leaves no mail unread: what nobody will read expires with it', () => {
  const team = Team.start({ seats: ['lead', 'worker', 'errored'] });
  team.mail('operator', 'errored', 'first');
  team.turn('errored');
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('errored') });
  team.mail('operator', 'errored', 'second');
  team.awake('lead');
  team.ok({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('lead') });
  team.end('lead');
  team.sweep();
  expect(team.facts('mail.expired')).toMatchObject([{ member: 'errored', ids: ['m2', 'm4'] }]);
  expect([...team.state.messages.values()].filter((message) => message.pending.size > 0)).toEqual([]);
});
