import { describe, expect, test } from 'vitest';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

/** The lead is idle; the worker has a turn and holds #1. */
function holding(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ tasks: [{ role: 'worker' }], ...options });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

describe('reminders', () => {
  test('count in a row: a turn that leaves nothing undone starts the count again', () => {
    const team = holding();
    team.end('worker', { calls: 1 });
    team.awake('worker');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 1 });
    expect(team.member('worker').nudges).toBe(0);
    team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec({ role: 'worker' })] });
    team.idles('worker');
    expect(team.facts('member.nudged').at(-1)).toMatchObject({ task: '#2', count: 1 });
  });

  test('a member that ignored one task to its end is reminded of the next as often', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
    for (let turn = 0; turn < 6; turn++) team.idles('worker', { text: 'later' });
    const nudged = team.facts('member.nudged').map((fact) => [fact.task, fact.count]);
    expect(nudged).toEqual([
      ['#1', 1],
      ['#1', 2],
      ['#2', 1],
      ['#2', 2],
    ]);
    expect([...team.state.tasks.values()].map((task) => task.state.kind)).toEqual(['failed', 'failed']);
  });

  test('while a member is reminded of an offer nobody else is asked, afterwards the next one is', () => {
    const team = Team.start({
      seats: ['lead', 'one', 'two'].map((member) => ({ member, role: member === 'lead' ? 'lead' : 'r' })),
      tasks: [{ role: 'r' }],
    });
    team.idles('lead');
    for (let turn = 0; turn < 2; turn++) {
      team.idles('one', { text: 'soon' });
      expect(team.task('#1').offer).toBe('one');
      expect(team.due()).toEqual(['one']);
    }
    team.idles('one', { text: 'soon' });
    expect(team.task('#1')).toMatchObject({ offer: null, state: { kind: 'pending' } });
    expect(team.due()).toContain('two');
  });

  test('a turn without a text and without a call counts the same, with blanks for a text too', () => {
    for (const text of [null, '', ' \n']) {
      const team = Team.start();
      team.idles('lead', { text });
      expect(team.facts('turn.ended').at(-1)?.outcome).toBe('no_progress');
      expect(team.facts('member.nudged')).toMatchObject([{ member: 'lead', task: null, count: 1 }]);
      team.idles('lead', { text });
      team.idles('lead', { text });
      expect(team.facts('member.nudged')).toHaveLength(2);
      expect(team.due()).toEqual([]);
    }
  });

  test('work without an end is reminded of as well: two reminders whatever the calls', () => {
    const team = holding();
    for (let turn = 0; turn < 2; turn++) {
      team.end('worker', { calls: 5 });
      expect(team.facts('turn.ended').at(-1)?.outcome).toBe('finished');
      team.awake('worker');
    }
    team.end('worker', { calls: 5 });
    expect(team.facts('task.released')).toMatchObject([{ reason: 'no_progress', attempt: 1 }]);
  });
});

describe('a turn that did not come to its own end', () => {
  test.each(['limit', 'cancelled'] as const)(
    '%s: the member is due again with its claim and its offer',
    (outcome) => {
      const team = Team.start({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
      team.idles('lead');
      team.turn('worker');
      team.end('worker', { outcome, text: null });
      expect(team.task('#1').offer).toBe('worker');
      expect(team.due()).toEqual(['worker']);
      team.turn('worker');
      expect(team.facts('mail.sent').filter((fact) => fact.kind === 'offer')).toHaveLength(1);
      team.claim('worker', '#1');
      team.end('worker', { outcome, text: null });
      expect(team.due()).toEqual(['worker']);
      expect(team.facts('member.nudged')).toEqual([]);
    },
  );

  test('parked: an unclaimed offer goes to others meanwhile, and comes again afterwards', () => {
    const team = Team.start({ tasks: [{}] });
    team.idles('lead', { text: 'go' });
    team.awake('worker');
    const request = team.park('worker', { kind: 'question' });
    expect(team.task('#1').offer).toBeNull();
    expect(team.due()).toEqual(['lead']);
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision: 'skip', text: null, digest: null });
    team.idles('worker');
    expect(team.due()).toContain('worker');
    team.turn('worker');
    expect(team.task('#1').offer).toBe('worker');
  });

  test('parked on a request that is decided already: due at once', () => {
    const team = Team.start();
    team.awake('lead');
    const request = team.request('lead');
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision: 'deny', text: null, digest: null });
    team.end('lead', { outcome: 'parked', request, calls: 1 });
    expect(team.due()).toEqual(['lead']);
  });
});

describe('a turn that finishes while the run is being stopped', () => {
  test('leaves its reminder and its notice, so that the resumed team forgets nobody', () => {
    const team = holding();
    team.mail('operator', 'lead');
    team.awake('lead');
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    team.end('worker', { text: 'halfway' });
    team.end('lead', { outcome: 'cancelled' });
    team.sweep();
    team.resume();
    expect(team.due()).toEqual(['lead', 'worker']);
    expect(team.inbox('worker').at(-1)).toContain('you hold #1');
  });
});

describe('an idle notice', () => {
  test('carries the last words to the lead, once a turn, and wakes it', () => {
    const team = Team.start();
    team.idles('lead');
    team.mail('operator', 'worker');
    team.idles('worker', { text: 'my report' });
    const notice = team.facts('mail.sent').at(-1);
    expect(notice).toMatchObject({ kind: 'idle', from: 'worker', to: ['lead'], body: 'my report' });
    expect(team.due()).toEqual(['lead']);
  });

  test('is not made by the lead, nor by a member that is reminded', () => {
    const team = holding();
    team.end('worker');
    expect(team.facts('mail.sent').filter((fact) => fact.kind === 'idle')).toEqual([]);
  });
});

describe('a member that fails', () => {
  test('takes its tasks, requests and offers with it in one entry, and the lead is told', () => {
    const team = holding({ tasks: [{ role: 'worker' }, { role: 'worker', blocked_by: [] }] });
    team.request('worker');
    const entries = team.entries.length;
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(team.entries).toHaveLength(entries + 1);
    expect(team.state.requests.get('r1')?.status).toMatchObject({
      kind: 'withdrawn',
      reason: 'worker has failed',
    });
    expect(team.task('#1').state).toMatchObject({
      kind: 'failed',
      cause: 'member_failed',
      detail: 'worker: gone',
    });
    expect(team.inbox('lead')).toHaveLength(1);
    expect(team.sweep()).toEqual([]);
  });

  test('does not take a task with it that waits for a review', () => {
    const team = holding({ tasks: [{ role: 'worker', gates: ['lead'] }] });
    team.ok(team.completion('worker', '#1'));
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(team.task('#1').state.kind).toBe('in_review');
    team.awake('lead');
    team.ok(team.verdict('lead', '#1'));
    expect(team.task('#1').state.kind).toBe('completed');
  });

  test('was offered a task: it is offered to others at once', () => {
    const team = Team.start({ tasks: [{}] });
    team.idles('lead');
    team.turn('worker');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(team.task('#1')).toMatchObject({ offer: null, state: { kind: 'pending' } });
    expect([...team.task('#1').offeredTo]).toEqual([]);
    team.awake('lead');
    expect(team.task('#1').offer).toBe('lead');
  });
});
