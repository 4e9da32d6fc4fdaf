/** A turn that waits for its provider (spec/team.md §9): what a wait is, and what it is not. */

import { describe, expect, test } from 'vitest';
import { deliveryNote } from '../../src/team/decide/mail.js';
import { nextJobs, nextTimer } from '../../src/team/next-jobs.js';
import { statusView } from '../../src/team/show/status.js';
import { aCall, OPERATOR } from '../helpers/build-start.js';
import { sameState, Team, type WaitCommand } from '../helpers/build-state.js';

/** Lead and worker, the worker in its turn with task #1. */
function atWork(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ tasks: [{ role: 'worker' }], ...options });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

/** The same, the worker waits until 10,001. */
function waiting(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = atWork(options);
  team.waits('worker');
  return team;
}

describe('a member that waits', () => {
  test('is due when its time is there, by the fact that says so, and not before', () => {
    const team = atWork();
    team.now = 500;
    const number = team.state.next + 1; // After the reservation.
    expect(team.waits('worker')).toBe(10_501);
    expect(nextJobs(team.state, 10_500)).toEqual([]);
    expect(nextJobs(team.state, 10_501)).toMatchObject([{ member: 'worker', cause: number }]);
    expect(team.facts('turn.ended').at(-1)).toMatchObject({
      outcome: 'parked',
      request: null,
      wait: {
        until: 10_501,
        why: 'rate_limited',
        provider: 'anthropic',
        try: 1,
        detail: 'too many requests',
      },
    });
  });

  test('may not start before, whoever asks', () => {
    const team = waiting();
    const start = { kind: 'turn.start', member: 'worker', cause: 1 } as const;
    team.now = 9_000;
    expect(team.refusal(start)).toBe('not_due: worker waits for anthropic (rate limited), 1 s more');
    team.now = 10_001;
    team.ok(start);
    expect(team.member('worker').life.kind).toBe('working');
  });

  test('is looked at by one timer, together with the others', () => {
    const team = Team.start({ seats: ['lead', 'worker', 'reviewer'], limits: { wall_minutes: 1 } });
    team.mail('operator', 'all');
    for (const [member, waitMs] of [
      ['lead', 30_000],
      ['worker', 8_000],
      ['reviewer', 90_000],
    ] as const) {
      team.turn(member);
      team.waits(member, { waitMs });
    }
    expect(nextTimer(team.state, 0)).toBe(8_001);
    expect(nextTimer(team.state, 8_001), 'the one whose time is there has its job').toBe(30_001);
    expect(nextTimer(team.state, 30_001)).toBe(60_000);
  });

  test('goes on before others, whoever has waited longer first', () => {
    const team = Team.start({ seats: ['lead', 'worker', 'reviewer'] });
    team.mail('operator', 'all');
    for (const [member, waitMs] of [
      ['worker', 9_000],
      ['reviewer', 8_000],
    ] as const) {
      team.turn(member);
      team.waits(member, { waitMs });
    }
    team.now = 10_000;
    expect(team.due()).toEqual(['reviewer', 'worker', 'lead']);
  });

  test('is not woken by mail; it reads it afterwards', () => {
    const team = waiting();
    const sent = team.mail('operator', 'worker', 'news');
    expect(sent.kind).toBe('accepted');
    expect(team.due()).toEqual([]);
    team.now = 10_001;
    team.turn('worker');
    expect(team.inbox('worker')).toEqual(['news']);
  });

  test('keeps its tasks and offers, and is offered nothing more', () => {
    const team = Team.start({ seats: ['lead', 'worker', 'other'], tasks: [{}, {}] });
    team.idles('lead');
    const [first] = team.due();
    team.turn(first ?? '');
    team.waits(first ?? '');
    expect([...team.member(first ?? '').offers]).toEqual(['#1']);
    const [second] = team.due();
    expect(second).not.toBe(first);
    team.turn(second ?? '');
    expect([...team.member(second ?? '').offers]).toEqual(['#2']);
  });

  test('may be stopped like any other: its task goes back and nothing is left of the wait', () => {
    const team = waiting();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' });
    expect(team.task('#1').state.kind).toBe('pending');
    expect(nextTimer(team.state, 0)).toBe(7_200_000);
    team.now = 20_000;
    expect(team.due()).not.toContain('worker');
  });
});

describe('a wait counts', () => {
  test('not as a turn, of the run or of the role', () => {
    const team = atWork({ seats: ['lead', { member: 'worker', max_turns: 1 }], limits: { turns: 2 } });
    for (let count = 0; count < 5; count++) {
      team.waits('worker');
      expect(team.member('worker').turns).toBe(0);
      expect(team.state.budget.turns).toBe(1);
      team.now += 20_000;
      team.turn('worker');
    }
    team.end('worker', { calls: 1 });
    expect(team.member('worker').turns).toBe(1);
    expect(team.state.budget.turns).toBe(2);
  });

  test('not as a model call: what was reserved is given back, once and by nobody else', () => {
    const team = atWork({ limits: { model_calls: 3 } });
    expect(team.state.budget.modelCalls).toBe(2);
    for (let count = 0; count < 4; count++) {
      team.waits('worker');
      expect(team.state.budget.modelCalls).toBe(2);
      team.now += 20_000;
      team.turn('worker');
    }
    team.waits('worker', { asked: false });
    expect(team.state.budget.modelCalls, 'nothing was reserved before a closed gate').toBe(2);
  });

  test('as a model call when the process was lost over it: whether it was made nobody knows', () => {
    const team = atWork();
    team.ok({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') });
    team.resume();
    team.turn('worker');
    team.waits('worker', { asked: false });
    expect(team.state.budget.modelCalls).toBe(3);
  });

  test('neither as a lost turn nor as one that got nowhere', () => {
    const team = waiting();
    expect(team.member('worker')).toMatchObject({ lost: 0, nudges: 0 });
    expect(team.facts('member.nudged')).toEqual([]);
    team.now = 10_001;
    expect(team.ok({ kind: 'turn.start', member: 'worker', cause: 1 })).toMatchObject([{ attempt: 1 }]);
  });

  test('as a part of its turn: calls and text before it are progress after it', () => {
    const team = atWork();
    team.waits('worker', { calls: 2, text: 'half of it' });
    team.now = 10_001;
    team.turn('worker');
    team.waits('worker', { calls: 1 });
    team.now = 30_000;
    team.turn('worker');
    team.resume(); // The next process knows of it too.
    team.turn('worker');
    const facts = team.end('worker', { text: null, calls: 0 });
    expect(facts[0]).toMatchObject({ type: 'turn.ended', outcome: 'finished', text: 'half of it' });
    // It still holds its task, so it is reminded; but its attempt is not one without progress.
    expect(team.member('worker').beforeWait).toEqual({ turn: null, calls: 0, text: null });
  });
});

describe('refusals in a row', () => {
  const refused = (team: Team, times: number, how: Partial<WaitCommand> = {}): void => {
    for (let count = 0; count < times; count++) {
      team.waits('worker', how);
      team.now += 20_000;
      team.turn('worker');
    }
  };

  test.each([
    ['rate_limited', 20, 'anthropic (rate limited) 21 times in a row; its last word: too many requests'],
    ['unavailable', 6, 'anthropic (unavailable) 7 times in a row; its last word: too many requests'],
  ] as const)('%s: %d are waited for, the next one fails the member', (why, times, error) => {
    const team = atWork();
    refused(team, times, { why });
    expect(team.facts('turn.ended').at(-1)?.wait).toMatchObject({ why, try: times });
    const facts = team.ok(team.waiting('worker', { why }));
    expect(facts.map((fact) => fact.type)).toEqual([
      'turn.ended',
      'member.failed',
      'task.failed',
      'mail.sent',
    ]);
    expect(facts).toMatchObject([{ outcome: 'failed', wait: null }, { code: why, error }, {}, {}]);
  });

  test('begin anew with an answer, and are counted for each kind', () => {
    const team = atWork();
    refused(team, 5, { why: 'unavailable' });
    refused(team, 19);
    expect(team.member('worker').refusals).toEqual({ rate_limited: 19, unavailable: 5 });
    team.read('worker');
    expect(team.member('worker').refusals).toEqual({ rate_limited: 0, unavailable: 0 });
    refused(team, 20);
    expect(team.member('worker').life.kind).toBe('working');
  });

  test('are its own: a gate that others have closed may be met for ever', () => {
    const team = atWork();
    refused(team, 1);
    refused(team, 60, { asked: false });
    expect(team.facts('turn.ended').at(-1)?.wait).toMatchObject({ try: 1 });
    const other = atWork();
    refused(other, 1, { asked: false });
    expect(other.facts('turn.ended').at(-1)?.wait).toMatchObject({ try: 0 });
  });

  test('begin anew when the lead or a resume puts the member back to work', () => {
    const team = atWork();
    refused(team, 20);
    team.ok(team.waiting('worker'));
    team.resume();
    expect(team.member('worker').refusals.rate_limited).toBe(0);
  });
});

describe('a team of which members only wait', () => {
  test('is neither stalled nor ended, tells nobody anything, and is done afterwards', () => {
    const team = waiting();
    for (const present of [true, false]) expect(team.sweep(present)).toEqual([]);
    team.now = 10_001;
    team.turn('worker');
    team.read('worker');
    team.ok(team.completion('worker', '#1'));
    team.waits('worker');
    expect(team.task('#1').state.kind).toBe('completed');
    expect(team.sweep(), 'everything is completed, and one still has something to say').toEqual([]);
    team.now = 30_000;
    team.turn('worker');
    team.read('worker');
    team.end('worker');
    team.idles('lead');
    expect(team.sweep()).toMatchObject([{ type: 'run.ended', reason: 'done' }]);
  });

  test('does not end for want of an answer while one waits for its provider', () => {
    const team = Team.start({ seats: ['lead', 'worker'], tasks: [{ role: 'worker' }] });
    team.awake('lead');
    team.park('lead');
    team.turn('worker');
    team.waits('worker');
    expect(team.sweep(false)).toEqual([]);
    team.now = 10_001;
    expect(team.due()).toEqual(['worker']);
  });

  test('ends at its wall time, and says what was waited for', () => {
    const team = waiting({ limits: { wall_minutes: 0.1 } });
    expect(nextTimer(team.state, 0)).toBe(6_000);
    team.now = 6_000;
    expect(team.sweep()).toMatchObject([
      { type: 'limit.reached', limit: 'wall_minutes' },
      {
        type: 'run.ended',
        reason: 'deadline',
        detail: 'limit wall_minutes = 0.1 reached: 0.1; worker waited for anthropic (rate limited)',
      },
    ]);
  });

  test('ends at once when it is stopped, and waits on when it is taken up again', () => {
    const team = waiting();
    team.now = 4_000;
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    expect(team.sweep()).toMatchObject([{ type: 'run.ended', reason: 'cancelled' }]);
    team.resume();
    expect(team.due()).toEqual([]);
    expect(nextTimer(team.state, team.now)).toBe(10_001);
    team.now = 10_001;
    expect(team.due()).toEqual(['worker']);
  });

  test('is due at once when it is taken up behind the time of its wait', () => {
    const team = waiting();
    team.now = 12_000;
    team.resume();
    expect(team.due()).toEqual(['worker']);
  });

  test('folds to the same state, waits included', () => {
    const team = waiting();
    expect(sameState(team.refold(), team.state)).toBe(true);
  });
});

describe('what is said of it', () => {
  test('status names who waits for what, how long, and whose task that is', () => {
    const team = waiting();
    const view = statusView(team.state, 'run-x-01', 4_000);
    expect(view.waiting).toEqual([
      'worker waits for anthropic (rate limited), 6 s',
      '#1: claimed by worker (waiting for anthropic)',
    ]);
    expect(view.members).toMatchObject([
      { name: 'lead', state: 'idle', wait: null },
      {
        state: 'waiting',
        detail: 'anthropic (rate limited), 6 s',
        wait: { provider: 'anthropic', why: 'rate_limited', left_ms: 6_001, detail: 'too many requests' },
      },
    ]);
  });

  test('a sender learns when its message will be read', () => {
    expect(deliveryNote(waiting().member('worker'))).toBe(
      'worker waits for anthropic (rate limited); it reads the message after that',
    );
  });
});
