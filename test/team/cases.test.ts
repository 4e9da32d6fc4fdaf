/** Cases A and B of `cases/teamwork.md`, as far as the pure core can show them: mail, waking, the end. */

import { describe, expect, test } from 'vitest';
import { deliveryNote } from '../../src/team/decide/mail.js';
import { aCall, OPERATOR } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

function fail(team: Team, member: string, error = 'the model is gone'): void {
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error, ...team.in(member) });
}

/** Lead and worker are idle, nothing is unread and nobody is due. */
function quiet(): Team {
  const team = Team.start();
  team.idles('lead');
  team.mail('operator', 'worker');
  team.idles('worker');
  team.idles('lead');
  return team;
}

test('A8 three messages wake an idle worker once: one live worker, the same seat, nobody spawned', () => {
  const team = quiet();
  const spawned = team.facts('member.spawned').length;
  const turns = team.facts('turn.started').length;
  for (const body of ['one', 'two', 'three']) team.mail('operator', 'worker', body);
  expect(team.due()).toEqual(['worker']);
  team.turn('worker');
  expect(team.refusal({ kind: 'turn.start', member: 'worker', cause: 0 })).toMatch(/^already_working/);
  expect([...team.state.members.keys()].filter((name) => name === 'worker')).toHaveLength(1);
  expect(team.inbox('worker')).toEqual(['one', 'two', 'three']);
  team.read('worker');
  team.end('worker');
  expect(team.facts('turn.started')).toHaveLength(turns + 1);
  expect(team.facts('member.spawned')).toHaveLength(spawned);
});

describe('A13', () => {
  const workers = Array.from({ length: 8 }, (_, index) => `w${index}`);

  test('the first turn of the lead is its kickoff; eight messages that came before it are one batch after it', () => {
    const team = Team.start({ seats: ['lead', ...workers], limits: { members: 9 } });
    team.mail('operator', 'all', 'hello'); // after the kickoff, to the lead as well
    for (const worker of workers) {
      team.awake(worker);
      team.mail(worker, 'lead', `from ${worker}`);
    }
    const [prompt] = team.facts('mail.sent').filter((fact) => fact.kind === 'prompt');
    const kickoff = team.state.messages.get(prompt?.id ?? '');
    team.turn('lead');
    expect(team.facts('turn.started').at(-1)?.cause).toBe(kickoff?.number);
    expect(team.member('lead').unread[0]).toBe(kickoff?.id);
    team.read('lead', [kickoff?.id ?? '']);
    team.end('lead');
    expect(team.due()).toContain('lead');
    team.turn('lead');
    expect(team.inbox('lead')).toEqual(['hello', ...workers.map((worker) => `from ${worker}`)]);
    team.read('lead');
    team.end('lead');
    expect(team.due()).not.toContain('lead');
    expect(team.facts('turn.started').filter((fact) => fact.member === 'lead')).toHaveLength(2);
  });

  test('mail wakes an idle member, waits for a working, parked or errored one, and comes back from a stopped one', () => {
    const wakes = (status: (team: Team) => void): boolean | string => {
      const team = quiet();
      team.mail('operator', 'worker');
      status(team);
      const sent = team.mail('operator', 'worker', 'the message');
      if (sent.kind === 'refused') return sent.code;
      return team.due().includes('worker');
    };
    expect(wakes((team) => team.idles('worker'))).toBe(true);
    expect(wakes((team) => team.awake('worker'))).toBe(false);
    expect(wakes((team) => team.awake('worker') && team.park('worker'))).toBe(false);
    expect(wakes((team) => team.awake('worker') && fail(team, 'worker'))).toBe(false);
    const stop = { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' } as const;
    expect(wakes((team) => team.ok(stop))).toBe('member_stopped');
  });

  test('an idle notice wakes the lead and nobody else', () => {
    const team = quiet();
    team.mail('operator', 'worker');
    team.idles('worker', { text: 'nothing to do' });
    expect(team.due()).toEqual(['lead']);
  });
});

test('A16 mail to an errored worker says so at once and is delivered after the resume', () => {
  const team = quiet();
  team.mail('operator', 'worker');
  team.awake('worker');
  fail(team, 'worker');
  team.awake('lead');
  expect(team.mail('lead', 'worker', 'are you there?').kind).toBe('accepted');
  expect(deliveryNote(team.member('worker'))).toBe(
    'worker has failed (the model is gone); the message is queued for its restart (team_spawn, or bnerd team resume)',
  );
  expect(team.due()).not.toContain('worker');
  team.resume();
  expect(team.due()).toContain('worker');
  team.turn('worker');
  expect(team.inbox('worker')).toEqual(['are you there?']);
});

test('A18 when all is done each worker gives one idle notice, the run closes itself and its record stops growing', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two'], tasks: [{ role: 'one' }, { role: 'two' }] });
  team.idles('lead');
  for (const [worker, task] of [
    ['one', '#1'],
    ['two', '#2'],
  ] as const) {
    team.awake(worker);
    team.claim(worker, task);
    team.ok(team.completion(worker, task));
    team.end(worker, { calls: 2 });
  }
  const notices = (): string[] =>
    team
      .facts('mail.sent')
      .filter((fact) => fact.kind === 'idle')
      .map((fact) => fact.from);
  expect(notices()).toEqual(['one', 'two']);
  team.idles('lead');
  team.sweep();
  expect(team.facts('run.ended')).toMatchObject([{ reason: 'done', exit: 0, closed_by: 'runtime' }]);
  const { length } = team.entries;
  for (let look = 0; look < 10; look++) {
    team.now += 3_000;
    team.sweep();
  }
  expect(team.entries).toHaveLength(length);
  expect(notices()).toHaveLength(2);
});

describe('A20', () => {
  test('a broadcast goes to all members but its sender, once each', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two', { member: 'late', on_demand: true }] });
    team.mail('operator', 'one');
    team.awake('one');
    team.mail('one', 'all', 'to everybody');
    expect(team.facts('mail.sent').at(-1)?.to).toEqual(['lead', 'two']);
    team.ok({ kind: 'member.spawn', by: OPERATOR, role: 'late' });
    team.mail('one', 'all', 'to everybody');
    expect(team.facts('mail.sent').at(-1)?.to).toEqual(['lead', 'two', 'late']);
    expect(team.inbox('one')).toEqual([]);
  });

  const steps: readonly (readonly [string, (team: Team) => void])[] = [
    ['the turn has started', () => {}],
    [
      'the call is reserved',
      (team) => team.ok({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') }),
    ],
    ['the model has answered', (team) => team.read('worker')],
  ];

  test.each(steps)('killed after %s, a message is consumed exactly once', (_, step) => {
    const team = quiet();
    team.mail('operator', 'worker', 'once');
    const [id = ''] = team.member('worker').unread;
    team.turn('worker');
    step(team);
    team.resume();
    team.turn('worker');
    team.ok({ kind: 'mail.recover', ids: [id], ...team.in('worker') });
    team.read('worker', [id]);
    team.end('worker');
    const consumed = team.facts('mail.delivered').flatMap((fact) => fact.messages);
    expect(consumed.filter((message) => message.id === id)).toHaveLength(1);
    expect(team.member('worker').unread).toEqual([]);
  });

  test('a resume looks after every worker whose turn was lost', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'] });
    team.mail('operator', 'all');
    for (const member of ['lead', 'one', 'two']) team.awake(member);
    team.resume();
    expect(team.due()).toEqual(['lead', 'one', 'two']);
    for (const member of team.due()) team.turn(member);
    expect(
      team
        .facts('turn.started')
        .slice(-3)
        .map((fact) => fact.attempt),
    ).toEqual([2, 2, 2]);
  });
});

test('A21 the error of a worker reaches the lead with its name, its task and the text, and the task has failed', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  team.end('worker', { outcome: 'limit', calls: 1 });
  team.awake('worker');
  fail(team, 'worker', 'quota exceeded');
  expect(team.facts('member.failed')).toEqual([
    { type: 'member.failed', member: 'worker', code: 'model', error: 'quota exceeded' },
  ]);
  expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'member_failed' });
  expect(team.due()).toEqual(['lead']);
  const [told = ''] = team.inbox('lead');
  for (const word of ['worker', '#1', 'quota exceeded', 'team_spawn']) expect(told).toContain(word);
});

describe('A23 a decision wakes the member that waits for it, at the next look', () => {
  const answers = [
    ['plan', 'approve'],
    ['plan', 'revise'],
    ['question', 'answer'],
    ['confirmation', 'approve'],
    ['confirmation', 'deny'],
  ] as const;

  test.each(answers)('%s: %s', (kind, decision) => {
    const team = Team.start({ seats: ['lead', { member: 'worker', plan_mode: true }] });
    team.idles('lead');
    team.mail('operator', 'worker');
    team.awake('worker');
    const request = team.park('worker', { kind, plan: kind === 'plan' ? 'step by step' : null });
    expect(team.due()).not.toContain('worker');
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision, text: 'so be it', digest: null });
    const { status } = team.state.requests.get(request) ?? {};
    expect(team.due()).toContain('worker');
    team.turn('worker');
    expect(status).toMatchObject({ kind: 'decided', decision, text: 'so be it' });
    expect(team.facts('turn.started').at(-1)?.cause).toBe(status?.kind === 'decided' ? status.number : 0);
  });
});

test('B35 a lead that waits for one worker has a turn at the next look, and its input has the result', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  expect(team.due()).toEqual([]);
  team.ok(team.completion('worker', '#1', { summary: 'the answer is 42' }));
  expect(team.due()).toEqual(['lead']);
  team.turn('lead');
  expect(team.inbox('lead')[0]).toContain('the answer is 42');
});

test('B36 a worker that says it will do it and ends has made no progress: two reminders, then the task has failed', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.idles('lead');
  for (const count of [1, 2]) {
    team.idles('worker', { text: 'OK, will do' });
    expect(team.facts('turn.ended').at(-1)?.outcome).toBe('no_progress');
    expect(team.facts('member.nudged').at(-1)).toMatchObject({ member: 'worker', task: '#1', count });
    expect(team.inbox('worker')[0]).toContain('#1');
    expect(team.due()).toEqual(['worker']);
  }
  team.idles('worker', { text: 'OK, will do' });
  expect(team.facts('member.nudged')).toHaveLength(2);
  expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'no_progress' });
  expect(team.facts('task.completed')).toEqual([]);
  expect(team.inbox('lead').join('\n')).toContain('#1 has failed');
});

/** A lead that delegates two tasks and stops talking. */
function delegated(): Team {
  const team = Team.start({
    seats: ['lead', 'one', 'two'],
    tasks: [{ role: 'one' }, { role: 'two' }],
  });
  team.idles('lead', { text: 'I have delegated' });
  for (const [member, task] of [
    ['one', '#1'],
    ['two', '#2'],
  ] as const) {
    team.awake(member);
    team.claim(member, task);
  }
  return team;
}

test('B38 the run stays open while tasks run after the last word of the lead; result and exit code cover them', () => {
  const team = delegated();
  expect(team.sweep()).toEqual([]);
  expect(team.state.phase.kind).toBe('running');
  for (const [member, task] of [
    ['one', '#1'],
    ['two', '#2'],
  ] as const) {
    team.ok(team.completion(member, task));
    team.end(member, { calls: 2 });
    team.sweep();
    expect(team.state.phase.kind).toBe('running');
  }
  team.idles('lead', { text: 'both are done' });
  team.sweep();
  expect(team.facts('run.ended')).toMatchObject([
    { reason: 'done', exit: 0, result: 'both are done', totals: { tasks_completed: 2 } },
  ]);
});

test('B41 a lead that only talks is idle, not gone: completions wake it again', () => {
  const team = delegated();
  expect(team.member('lead').life.kind).toBe('idle');
  expect(team.sweep()).toEqual([]);
  team.ok(team.completion('one', '#1'));
  expect(team.due()).toEqual(['lead']);
  team.idles('lead');
  team.ok(team.completion('two', '#2'));
  expect(team.due()).toEqual(['lead']);
});

test('B43 a plan without a task is asked for twice, then the run has failed with cause empty_plan and exit 1', () => {
  const team = Team.start();
  team.idles('lead', { text: '<<no plan that anybody can read>>' });
  for (const _ of [1, 2]) {
    team.sweep();
    expect(team.facts('run.nudged').at(-1)?.about).toBe('empty_plan');
    expect(team.inbox('lead')[0]).toContain('team_task_create');
    team.idles('lead', { text: '<<still none>>' });
  }
  team.sweep();
  expect(team.facts('run.nudged')).toHaveLength(2);
  expect(team.facts('run.ended')).toMatchObject([{ reason: 'failed', cause: 'empty_plan', exit: 1 }]);
});

describe('B46 a run is over when no task is open, nothing is unread to the lead and nobody works', () => {
  /** One completed task, everything read, everybody idle. */
  function allDone(): Team {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 2 });
    team.idles('lead');
    return team;
  }

  test('then it closes by itself', () => {
    const team = allDone();
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'done', closed_by: 'runtime' }]);
  });

  test.each<readonly [string, (team: Team) => void]>([
    [
      'a task is open',
      (team) =>
        team.ok({ kind: 'task.create', by: OPERATOR, tasks: [{ ...team.task('#1').spec, key: null }] }),
    ],
    ['a message to the lead is unread', (team) => team.mail('operator', 'lead')],
    ['somebody works', (team) => team.mail('operator', 'worker').kind === 'accepted' && team.awake('worker')],
  ])('but not while %s', (_, open) => {
    const team = allDone();
    open(team);
    team.sweep();
    expect(team.facts('run.ended')).toEqual([]);
  });
});
