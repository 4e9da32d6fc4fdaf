/**
 * The one ledger of a run: what was used, what calls under way may use, what is left (spec/team.md §1, §7, §9). Pure, and
 * every question costs the same however long the record is.
 *
 *  L1 a call is reserved before it is made: all its input and the longest answer, at list price;
 *  L2 what was used and what is reserved never pass a limit together. Only a provider that uses more than was reserved
 *     for it can bring a run over a limit, and that is booked as it is;
 *  L3 a reservation ends once: by what was used; by itself, as an estimate, when its turn ends and nobody can say what
 *     was used; by nothing, when the provider refused before it did anything;
 *  L4 a limit of the run that was met stays met: limits stand for the life of a team;
 *  L5 a brief reserves all that it may cost before it leaves, and gives it back at its end: what it has used is booked, or
 *     the whole where nobody says. Tokens that an engineer uses are booked as they are told; none are reserved for it.
 */

import type { FactOf } from '../events/event.js';
import type { Budget, Reservation } from './budget.js';
import type { Member, TeamState, Wait } from './state.js';

/** US dollars are kept to so many places: sums in any order come out the same, and back to nothing. */
const PLACES = 1e10;

/** What a call would take. */
export interface Wish {
  readonly model: string;
  /** Counted as many rather than too few. */
  readonly inputTokens: number;
  /** The longest answer that is wished for. */
  readonly outputTokens: number;
  /** The longest answer that is still worth asking for. */
  readonly leastOutputTokens: number;
  /** US dollars at list price, for all the input and for the longest answer; null: unknown. */
  readonly priced: { readonly inputUsd: number; readonly outputUsd: number } | null;
}

/** As the record keeps it with a wait. */
export type Need = NonNullable<Wait['need']>;

/** What the ledger says to a wish. */
export type Room =
  | { readonly kind: 'granted'; readonly outputTokens: number; readonly costUsd: number | null }
  /** Others have reserved what is missing and will use less: worth waiting for. */
  | { readonly kind: 'reserved' }
  /** Nobody gives anything back any more. */
  | { readonly kind: 'none'; readonly limit: 'tokens' | 'cost_usd'; readonly used: number };

/**
 * Whether a call may be made now. A full answer first; with nothing else under way, as long an answer as there is room
 * for, down to the shortest that is worth asking for.
 */
export function roomFor(state: TeamState, wish: Wish): Room {
  const { budget } = state;
  const full = fullNeed(wish);
  if (isFree(state, full))
    return { kind: 'granted', outputTokens: wish.outputTokens, costUsd: full.cost_usd };
  if (budget.underWay > 0) return { kind: 'reserved' };
  const least = Math.min(wish.leastOutputTokens, wish.outputTokens);
  const tokens = freeTokens(state) - wish.inputTokens;
  const outputTokens = Math.min(wish.outputTokens, tokens, outputFor(wish, freeUsd(state)));
  if (outputTokens >= least) return { kind: 'granted', outputTokens, costUsd: usdOf(wish, outputTokens) };
  return tokens < least
    ? { kind: 'none', limit: 'tokens', used: usedTokens(budget) }
    : { kind: 'none', limit: 'cost_usd', used: budget.costUsd ?? 0 };
}

/** What a call takes with the longest answer that is wished for. */
export function fullNeed(wish: Wish): Need {
  return { tokens: wish.inputTokens + wish.outputTokens, cost_usd: usdOf(wish, wish.outputTokens) };
}

/** Whether so much is left beside what was used and what is reserved. */
export function isFree(state: TeamState, need: Need): boolean {
  const usd = freeUsd(state);
  if (need.tokens > freeTokens(state)) return false;
  return usd === null || (need.cost_usd !== null && need.cost_usd <= usd);
}

function freeTokens({ run, budget }: TeamState): number {
  return (run?.limits.tokens ?? 0) - usedTokens(budget) - budget.reservedTokens;
}

/** Null: costs have no limit. What has no price leaves nothing under one. */
function freeUsd({ run, budget }: TeamState): number | null {
  const limit = run?.limits.cost_usd ?? null;
  if (limit === null) return null;
  return budget.costUsd === null ? 0 : money(limit - budget.costUsd - budget.reservedUsd);
}

/** The longest answer that so many dollars pay for, after the input. */
function outputFor({ priced, outputTokens }: Wish, usd: number | null): number {
  if (usd === null) return outputTokens;
  if (priced === null || usd < priced.inputUsd) return 0;
  if (priced.outputUsd <= usd - priced.inputUsd) return outputTokens;
  return Math.floor(((usd - priced.inputUsd) / priced.outputUsd) * outputTokens);
}

function usdOf({ priced, outputTokens }: Wish, granted: number): number | null {
  if (priced === null) return null;
  const share = outputTokens === 0 ? 0 : granted / outputTokens;
  return money(priced.inputUsd + priced.outputUsd * share);
}

/** Tokens that were used, those of the provider's cache included. */
export function usedTokens(budget: Budget): number {
  return budget.inputTokens + budget.outputTokens;
}

/** The ledger of a state as `evolve` writes into it: a fold books several times for each call, and copies nothing for that. */
export type OpenBudget = { -readonly [Key in keyof Budget]: Budget[Key] };

/** Books that a call is under way. */
export function reserve(budget: OpenBudget, { tokens, costUsd }: Reservation): void {
  budget.modelCalls += 1;
  budget.underWay += 1;
  budget.reservedTokens += tokens;
  if (costUsd !== null) budget.reservedUsd = money(budget.reservedUsd + costUsd);
}

/** Books that it is so no more; whether anything was used, `use` says. The call stays counted. */
export function unreserve(budget: OpenBudget, { tokens, costUsd }: Reservation): void {
  budget.underWay -= 1;
  budget.reservedTokens -= tokens;
  if (costUsd !== null) budget.reservedUsd = money(budget.reservedUsd - costUsd);
}

/** A ledger without this reservation, for whoever asks what would be. */
export function withoutReservation(budget: Budget, reservation: Reservation): Budget {
  const open = { ...budget };
  unreserve(open, reservation);
  return open;
}

/** A brief is under way. One without a limit of costs gives nothing back, so nobody waits for its end. */
export function withBrief(budget: Budget, { cost_usd: usd }: Pick<FactOf<'brief.sent'>, 'cost_usd'>): Budget {
  if (usd === null) return budget;
  return { ...budget, underWay: budget.underWay + 1, reservedUsd: money(budget.reservedUsd + usd) };
}

/** It is so no more. */
export function withoutBrief(
  budget: Budget,
  { cost_usd: usd }: Pick<FactOf<'brief.sent'>, 'cost_usd'>,
): Budget {
  if (usd === null) return budget;
  return { ...budget, underWay: budget.underWay - 1, reservedUsd: money(budget.reservedUsd - usd) };
}

/** US dollars that a brief may still reserve; null: costs have no limit. */
export function roomForBrief(state: TeamState): number | null {
  return freeUsd(state);
}

type Usage = Pick<
  FactOf<'budget.spent'>,
  'input_tokens' | 'cached_tokens' | 'output_tokens' | 'cost_usd' | 'estimated'
>;

/** Books what a call or a brief has used, or may have. */
export function use(budget: OpenBudget, spent: Usage): void {
  const { input_tokens: input, output_tokens: output, cost_usd: usd } = spent;
  budget.inputTokens += input;
  budget.cachedTokens += spent.cached_tokens;
  budget.outputTokens += output;
  budget.costUsd = budget.costUsd === null || usd === null ? null : money(budget.costUsd + usd);
  if (!spent.estimated) return;
  budget.estimatedTokens += input + output;
  budget.estimatedUsd = money(budget.estimatedUsd + (usd ?? 0));
}

/** A ledger with this usage, for whoever asks what would be. */
export function withUsage(budget: Budget, spent: Usage): Budget {
  const open = { ...budget };
  use(open, spent);
  return open;
}

/** L3: the call of a turn that ends without an answer, booked as it was reserved; nothing where none is under way. */
export function unanswered({ name, reserved }: Member): FactOf<'budget.spent'>[] {
  if (reserved === null) return [];
  return [
    {
      type: 'budget.spent',
      turn: reserved.turn,
      member: name,
      model: reserved.model,
      input_tokens: reserved.inputTokens,
      cached_tokens: 0,
      output_tokens: reserved.outputTokens,
      cost_usd: reserved.costUsd,
      estimated: true,
    },
  ];
}

/** Limits whose meeting ends the run, with the reason that it then has, in the order of their precedence (spec/team.md §7). */
const ENDS = {
  turns: 'budget',
  model_calls: 'budget',
  tokens: 'budget',
  cost_usd: 'budget',
  record_bytes: 'budget',
  wall_minutes: 'deadline',
} as const;

export type RunLimit = keyof typeof ENDS;
const RUN_LIMITS = Object.keys(ENDS) as readonly RunLimit[];

export interface OverLimit {
  readonly limit: RunLimit;
  readonly value: number;
  readonly bound: number;
  readonly ends: 'budget' | 'deadline';
  /** Something is left, and the next call would not fit into it. */
  readonly unfit: boolean;
}

/**
 * The limit of the whole run that has been met, or undefined; of several the first that ends it as `budget`.
 * @param now team time in milliseconds
 * @param except one that does not count: a turn that has begun may go on although it was the last
 */
export function overLimit(state: TeamState, now: number, except?: RunLimit): OverLimit | undefined {
  const limits = state.run?.limits;
  if (limits === undefined) return undefined;
  for (const limit of RUN_LIMITS) {
    if (limit === except) continue;
    const bound = limits[limit];
    if (bound === null) continue;
    const found = foundOf(state, limit, now);
    const met = state.limitsMet.get(limit);
    if (found < bound && met === undefined) continue;
    const value = Math.max(found, met ?? 0);
    return { limit, value, bound, ends: ENDS[limit], unfit: value < bound };
  }
  return undefined;
}

function foundOf({ budget, limitsMet }: TeamState, limit: RunLimit, now: number): number {
  switch (limit) {
    case 'turns':
      return budget.turns;
    case 'model_calls':
      return budget.modelCalls;
    case 'tokens':
      return usedTokens(budget);
    case 'cost_usd':
      return budget.costUsd ?? 0;
    case 'record_bytes':
      return limitsMet.get('record_bytes') ?? 0;
    case 'wall_minutes':
      return now / 60_000;
  }
}

function money(usd: number): number {
  return Math.round(usd * PLACES) / PLACES;
}
