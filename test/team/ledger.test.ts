/** The ledger of a run (spec/team.md §9): what is reserved, what becomes of it, and that no limit is passed together. */

import { describe, expect, test } from 'vitest';
import type { Limits } from '../../src/events/facts/frozen.js';
import type { Command } from '../../src/team/command.js';
import { overLimit, type Wish } from '../../src/team/ledger.js';
import { nextJobs } from '../../src/team/next-jobs.js';
import { statusView } from '../../src/team/show/status.js';
import { aCall, OPERATOR } from '../helpers/build-start.js';
import { sameState, Team } from '../helpers/build-state.js';
import { Random } from './walks/random.js';

const WORKERS = ['ada', 'bob', 'cid'];

/** A lead that is idle and three workers at work, with nothing used yet. */
function atWork(limits: Partial<Limits> = {}): Team {
  const team = Team.start({ seats: ['lead', ...WORKERS], limits });
  team.turn('lead');
  team.end('lead');
  team.mail('operator', 'all');
  for (const member of WORKERS) team.turn(member);
  return team;
}

/** A call that takes 10 tokens of input and an answer of 90, at a dollar the token. */
const WISH: Wish = {
  model: 'anthropic/x',
  inputTokens: 10,
  outputTokens: 90,
  leastOutputTokens: 20,
  priced: { inputUsd: 10, outputUsd: 90 },
};

const reserve = (team: Team, member: string, more: Partial<Wish> = {}) =>
  team.do({ kind: 'budget.reserve', wish: { ...WISH, ...more }, recordBytes: 0, ...team.in(member) });

/** An answer that has used so many tokens, a quarter of them input, at a dollar the token. */
function settle(team: Team, member: string, tokens: number): void {
  const inputTokens = Math.floor(tokens / 4);
  team.ok({
    kind: 'reply.settle',
    model: 'anthropic/x',
    inputTokens,
    cachedTokens: 0,
    outputTokens: tokens - inputTokens,
    costUsd: tokens,
    delivered: [...team.member(member).unread],
    suppressed: [],
    ...team.in(member),
  });
}

const waitsForRoom = (team: Team, member: string): Command => ({
  ...team.waiting(member, { why: 'budget', waitMs: 0, asked: false }),
  need: { tokens: 100, cost_usd: 100 },
});

const budget = (team: Team) => statusView(team.state, 'run-x').budget;

describe('a reservation', () => {
  test('holds the whole input and the longest answer, at list price, until its answer is booked', () => {
    const team = atWork();
    reserve(team, 'ada');
    expect(team.facts('budget.reserved')).toMatchObject([
      {
        member: 'ada',
        model: 'anthropic/x',
        input_tokens: 10,
        output_tokens: 90,
        tokens: 100,
        cost_usd: 100,
      },
    ]);
    expect(budget(team)).toMatchObject({
      reserved_tokens: 100,
      reserved_cost_usd: 100,
      cost_usd: 0,
      model_calls: 1,
    });
    settle(team, 'ada', 40);
    expect(budget(team)).toMatchObject({
      reserved_tokens: 0,
      reserved_cost_usd: 0,
      input_tokens: 10,
      output_tokens: 30,
      cost_usd: 40,
      estimated_tokens: 0,
    });
  });

  test('is booked as it is when more was used than reserved: the run is over its limit, and ends', () => {
    const team = atWork({ tokens: 120 });
    reserve(team, 'ada');
    settle(team, 'ada', 130);
    expect(overLimit(team.state, 0)).toMatchObject({ limit: 'tokens', value: 130, bound: 120, unfit: false });
    expect(reserve(team, 'bob')).toMatchObject({ kind: 'refused', code: 'limit' });
  });

  test('of a model without a price reserves tokens and no cost; what it used makes the cost unknown', () => {
    const team = atWork();
    reserve(team, 'ada', { priced: null });
    expect(budget(team)).toMatchObject({ reserved_tokens: 100, reserved_cost_usd: 0, cost_usd: 0 });
    team.ok({ ...team.ending('ada', { outcome: 'cancelled' }) });
    expect(budget(team)).toMatchObject({ cost_usd: null, input_tokens: 10, output_tokens: 90 });
    // Under a limit on costs nothing without a price is asked at all.
    const limited = atWork({ cost_usd: 1_000 });
    expect(reserve(limited, 'ada', { priced: null })).toMatchObject({ kind: 'refused', code: 'limit' });
  });
});

const ends: readonly (readonly [string, (team: Team) => void])[] = [
  ['called off', (team) => team.end('ada', { outcome: 'cancelled' })],
  [
    'cut off by turn_minutes',
    (team) => team.ok({ ...team.ending('ada', { outcome: 'limit' }), limit: 'turn_minutes' } as Command),
  ],
  [
    'cut in the middle of its answer',
    (team) => team.ok(team.waiting('ada', { why: 'unavailable', perhapsUsed: true })),
  ],
  [
    'failed after it was asked',
    (team) =>
      team.ok({
        kind: 'turn.fail',
        upto: '',
        calls: 0,
        code: 'x',
        error: 'x',
        perhapsUsed: true,
        ...team.in('ada'),
      }),
  ],
  ['lost with its process', (team) => team.resume()],
  [
    'stopped',
    (team) => {
      team.ok({ kind: 'member.withdraw', member: 'ada', cause: 'error', omitted: null, reason: 'x' });
      team.end('ada');
    },
  ],
  [
    'cut off',
    (team) => {
      team.ok({ kind: 'member.stop', by: OPERATOR, member: 'ada', reason: 'x', forced: true });
      team.ok({ kind: 'member.unheeded', member: 'ada', step: 'cut' });
    },
  ],
  ['under way when the run ended', (team) => team.ok({ kind: 'run.fail', cause: 'error', detail: 'x' })],
];

test.each(ends)('a call without an answer, %s, is booked as reserved, as an estimate, once', (_, end) => {
  const team = atWork();
  reserve(team, 'ada');
  end(team);
  const spent = {
    member: 'ada',
    model: 'anthropic/x',
    input_tokens: 10,
    cached_tokens: 0,
    output_tokens: 90,
  };
  expect(team.facts('budget.spent')).toEqual([
    expect.objectContaining({ ...spent, cost_usd: 100, estimated: true }),
  ]);
  expect(budget(team)).toMatchObject({
    model_calls: 1,
    input_tokens: 10,
    output_tokens: 90,
    cost_usd: 100,
    estimated_tokens: 100,
    estimated_cost_usd: 100,
    reserved_tokens: 0,
    reserved_cost_usd: 0,
  });
  if (team.state.phase.kind === 'ended')
    expect(team.facts('run.ended').at(-1)?.totals).toMatchObject({ cost_usd: 100, estimated_cost_usd: 100 });
  team.resume();
  expect(team.facts('budget.spent')).toHaveLength(1);
  expect(sameState(team.state, team.refold())).toBe(true);
});

test.each(['rate_limited', 'unavailable'] as const)(
  'a call that was refused at once (%s) is released',
  (why) => {
    const team = atWork();
    reserve(team, 'ada');
    team.ok(team.waiting('ada', { why }));
    expect(team.facts('budget.spent')).toEqual([]);
    expect(budget(team)).toMatchObject({ model_calls: 0, input_tokens: 0, cost_usd: 0, reserved_tokens: 0 });
    // For good: the same, but for the call, which was made.
    reserve(team, 'bob');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'bad-key', error: 'x', ...team.in('bob') });
    expect(budget(team)).toMatchObject({ model_calls: 1, input_tokens: 0, cost_usd: 0, reserved_tokens: 0 });
  },
);

test('a second call of one turn: the first, which nobody answered, is booked before it', () => {
  const team = atWork({ tokens: 210 });
  reserve(team, 'ada');
  expect(reserve(team, 'ada')).toMatchObject({
    kind: 'accepted',
    facts: [{ estimated: true }, { tokens: 100 }],
  });
  expect(budget(team)).toMatchObject({ estimated_tokens: 100, reserved_tokens: 100, model_calls: 2 });
  expect(reserve(team, 'ada'), 'ten are left').toMatchObject({ kind: 'refused', code: 'limit' });
});

test('an estimate is no answer: turns that are lost go on being counted', () => {
  const team = atWork();
  reserve(team, 'ada');
  team.resume();
  expect(team.member('ada')).toMatchObject({ lost: 1, reserved: null });
});

describe('members that ask together', () => {
  test.each([
    ['tokens', { tokens: 250 }],
    ['cost_usd', { cost_usd: 250 }],
  ] as const)(
    'H176 %s: a call that fits once others are booked waits for them, and is woken by them',
    (_, limits) => {
      const team = atWork(limits);
      reserve(team, 'ada');
      reserve(team, 'bob');
      expect(reserve(team, 'cid')).toMatchObject({ kind: 'refused', code: 'no_room' });
      team.ok(waitsForRoom(team, 'cid'));
      expect(team.member('cid').life).toMatchObject({ kind: 'waiting', why: 'budget' });
      expect(team.due()).not.toContain('cid');
      expect(team.refusal({ kind: 'turn.start', member: 'cid', cause: 1 })).toBe(
        'not_due: cid waits for room in the budget (reserved by calls and briefs under way)',
      );
      const view = statusView(team.state, 'run-x').members.find(({ name }) => name === 'cid');
      expect(view).toMatchObject({
        state: 'waiting',
        detail: 'room in the budget (reserved by calls and briefs under way)',
      });
      settle(team, 'ada', 60); // 60 used, 100 reserved, 100 wanted: more than 250.
      expect(team.due()).not.toContain('cid');
      settle(team, 'bob', 70);
      expect(team.due()).toContain('cid');
      team.turn('cid');
      expect(reserve(team, 'cid')).toMatchObject({ kind: 'accepted' });
      // A wait divides a turn: neither it nor the call that was not made is counted.
      expect(budget(team)).toMatchObject({ turns: 4, model_calls: 3 });
      expect(sameState(team.state, team.refold())).toBe(true);
    },
  );

  test('a wait is over as soon as there is room, and when nobody is left to give any', () => {
    const team = atWork({ tokens: 200 });
    reserve(team, 'ada');
    reserve(team, 'bob', { outputTokens: 50 });
    expect(reserve(team, 'cid')).toMatchObject({ code: 'no_room' });
    team.ok(waitsForRoom(team, 'cid'));
    team.ok(team.waiting('ada'));
    expect(team.due(), 'released: 60 reserved, 100 wanted').toContain('cid');
    settle(team, 'bob', 10);
    reserve(team, 'bob', { outputTokens: 170 });
    expect(team.due()).not.toContain('cid');
    settle(team, 'bob', 150);
    expect(team.due(), 'nobody else asks').toContain('cid');
  });
});

describe('what is left', () => {
  test('pays for a shorter answer when nobody else asks, down to one that is worth it', () => {
    const team = atWork({ tokens: 60 });
    expect(reserve(team, 'ada')).toMatchObject({ kind: 'accepted' });
    expect(team.facts('budget.reserved')).toMatchObject([{ output_tokens: 50, tokens: 60, cost_usd: 60 }]);
    const poor = atWork({ cost_usd: 32 });
    reserve(poor, 'ada');
    expect(poor.facts('budget.reserved')).toMatchObject([{ output_tokens: 22, tokens: 32, cost_usd: 32 }]);
  });

  test.each([
    ['tokens', { tokens: 129 }, 100],
    ['cost_usd', { cost_usd: 129 }, 100],
  ] as const)(
    'H170 %s that does not pay for the next call ends the run before it, and not after',
    (limit, limits, used) => {
      const team = atWork(limits);
      reserve(team, 'ada');
      settle(team, 'ada', used);
      const answer = reserve(team, 'ada');
      expect(answer).toMatchObject({ kind: 'refused', code: 'limit' });
      expect(team.facts('limit.reached')).toEqual([
        { type: 'limit.reached', limit, value: 100, member: null },
      ]);
      expect(reserve(team, 'bob', { outputTokens: 1, inputTokens: 0 }), 'a small one neither').toMatchObject({
        code: 'limit',
      });
      expect(nextJobs(team.state, 0)).toEqual([]);
      for (const member of WORKERS) team.end(member, { outcome: 'limit' });
      team.sweep();
      expect(team.facts('run.ended')).toMatchObject([
        {
          reason: 'budget',
          detail: `limit ${limit} = 129 reached: 100, and the next call does not fit into the rest`,
        },
      ]);
      expect(team.facts('limit.reached')).toHaveLength(1);
      team.resume();
      expect(nextJobs(team.state, 0)).toEqual([]);
      team.sweep();
      expect(team.facts('run.ended')).toHaveLength(2);
    },
  );

  test('a call over model_calls is refused although its turn may be the last', () => {
    const team = atWork({ model_calls: 2, turns: 4 });
    reserve(team, 'ada');
    reserve(team, 'bob');
    expect(reserve(team, 'cid')).toMatchObject({ kind: 'refused', code: 'limit' });
    team.ok(team.waiting('bob')); // Refused: it was not made.
    expect(reserve(team, 'cid')).toMatchObject({ kind: 'accepted' });
  });

  test('the same refusal is given to the same command', () => {
    const team = atWork({ record_bytes: 10 });
    const command = { kind: 'budget.reserve', ...aCall(1), recordBytes: 10, ...team.in('ada') } as const;
    expect(team.do(command, 'turn/ada/x')).toMatchObject({ kind: 'refused', code: 'limit' });
    expect(team.do(command, 'turn/ada/x')).toMatchObject({ kind: 'refused', code: 'limit' });
    expect(overLimit(team.state, 0)).toMatchObject({ limit: 'record_bytes', value: 10, ends: 'budget' });
  });
});

test('whatever the order of asking, answering, failing and dying: used and reserved never pass a limit together', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = new Random(seed);
    const limits = { tokens: random.of(2_000, 5_000_000), cost_usd: random.of(1_500, null) };
    const team = atWork(limits);
    for (let step = 0; step < 120 && team.state.phase.kind === 'running'; step++) {
      const member = random.pick(WORKERS) ?? 'ada';
      const { life, reserved } = team.member(member);
      if (random.chance(2)) team.resume();
      else if (life.kind !== 'working') {
        if (team.due().includes(member)) team.turn(member);
        else team.mail('operator', member);
      } else if (reserved === null) {
        const outputTokens = 1 + random.below(200);
        const answer = reserve(team, member, {
          inputTokens: random.below(50),
          outputTokens,
          priced: { inputUsd: random.below(50) / 10, outputUsd: outputTokens / 3 },
        });
        if (answer.kind === 'refused' && answer.code === 'no_room') team.ok(waitsForRoom(team, member));
        else if (answer.kind === 'refused') team.end(member, { outcome: 'limit' });
      } else if (random.chance(60)) settleWithin(team, member, random.below(101));
      else if (random.chance(50))
        team.ok(team.waiting(member, { waitMs: 0, perhapsUsed: random.chance(50) }));
      else team.end(member, { outcome: 'cancelled' });
      team.now += 5;
      const { reservedTokens, reservedUsd, inputTokens, outputTokens, costUsd, underWay } = team.state.budget;
      const open = [...team.state.members.values()].flatMap(({ reserved: of }) => of ?? []);
      expect(reservedTokens).toBe(open.reduce((sum, { tokens }) => sum + tokens, 0));
      expect(reservedUsd).toBeCloseTo(
        open.reduce((sum, { costUsd: usd }) => sum + (usd ?? 0), 0),
        8,
      );
      expect(underWay).toBe(open.length);
      expect(inputTokens + outputTokens + reservedTokens).toBeLessThanOrEqual(limits.tokens);
      expect((costUsd ?? 0) + reservedUsd).toBeLessThanOrEqual(limits.cost_usd ?? Number.POSITIVE_INFINITY);
    }
    expect(sameState(team.state, team.refold()), `seed ${seed}`).toBe(true);
  }
});

/** An answer that has used so much of what was reserved for it, in hundredths. */
function settleWithin(team: Team, member: string, part: number): void {
  const { reserved } = team.member(member);
  if (reserved === null) return;
  team.ok({
    kind: 'reply.settle',
    model: 'anthropic/x',
    inputTokens: Math.floor((reserved.inputTokens * part) / 100),
    cachedTokens: 0,
    outputTokens: Math.floor((reserved.outputTokens * part) / 100),
    costUsd: ((reserved.costUsd ?? 0) * part) / 100,
    delivered: [],
    suppressed: [],
    ...team.in(member),
  });
}
