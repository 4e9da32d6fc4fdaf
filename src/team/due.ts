/**
 * Why a member should have a turn now, as the number of the fact that made it due (spec/engine.md §2).
 *
 * W1 an idle member is woken by any unread message but an idle notice, which wakes only the lead, the progress of a brief,
 *    which wakes nobody, and an offer that was taken back before it was read;
 * W2 a parked member is woken by the end of its request and by nothing else: mail waits; so it does for one that waits
 *    for its provider, which is woken by the clock, or for room in the budget, which others give back;
 * W3 a member that works, has failed or was stopped is never due; mail for a failed one waits for its restart;
 * W4 when the lead has failed nobody is due: the run ends once the running turns have.
 */

import { isFree } from './ledger.js';
import { isOverOffer, readyOffers } from './offers.js';
import type { Member, Message, TeamState } from './state.js';
import type { Waiting } from './waits.js';

/**
 * The members that are due, with their causes, in the order of the seats. Offers are worked out once for all.
 * @param now team time in milliseconds
 */
export function dueMembers(
  state: TeamState,
  now: number,
): { readonly member: string; readonly cause: number }[] {
  if (state.phase.kind !== 'running' || leadHasFailed(state)) return [];
  const offers = readyOffers(state);
  const due: { member: string; cause: number }[] = [];
  for (const member of state.members.values()) {
    const cause = memberCause(state, member, now) ?? offers.get(member.name)?.cause;
    if (cause !== undefined) due.push({ member: member.name, cause });
  }
  return due;
}

/** Whether the lead is errored, which ends the run (spec/engine.md §2). */
export function leadHasFailed(state: TeamState): boolean {
  return state.members.get(state.lead)?.life.kind === 'errored';
}

function waitIsOver(state: TeamState, { until, need }: Waiting, now: number): boolean {
  return need === null ? until <= now : state.budget.underWay === 0 || isFree(state, need);
}

/** What wakes this member apart from an offer of work, or undefined. */
export function memberCause(state: TeamState, member: Member, now: number): number | undefined {
  const life = member.life;
  if (life.kind === 'waiting') return waitIsOver(state, life, now) ? life.since : undefined;
  if (life.kind === 'parked') {
    const status = state.requests.get(life.request)?.status;
    return status === undefined || status.kind === 'open' ? undefined : status.number;
  }
  if (life.kind !== 'idle') return undefined;
  if (life.due !== null) return life.due;
  for (const id of member.unread) {
    const message = state.messages.get(id);
    if (message === undefined) continue;
    if (wakes(message, member)) return message.number;
  }
  return undefined;
}

/**
 * The further facts that make a member due beside the one its turn is for: that turn answers them too, so they have none
 * of their own (case C60). The lead's first input is its order alone, so with that nothing is answered but the order.
 * @param cause of the turn
 * @param offer what made the task ready that is offered with the turn
 */
export function coalescedCauses(
  state: TeamState,
  member: Member,
  cause: number,
  offer: number | undefined,
): number[] {
  const { life } = member;
  const unread = member.unread.flatMap((id) => state.messages.get(id) ?? []);
  // What woke the part of this turn before its wait stands in it already.
  const from = 'turn' in life ? life.turn : 0;
  const first = unread.some((message) => message.kind === 'prompt');
  const mail = first ? [] : unread.filter((message) => wakes(message, member) && message.number > from);
  const due = life.kind === 'idle' && life.due !== null ? [life.due] : [];
  const all = new Set([...due, ...mail.map(({ number }) => number), ...(offer === undefined ? [] : [offer])]);
  all.delete(cause);
  return [...all].sort((one, other) => one - other);
}

function wakes(message: Message, member: Member): boolean {
  if (isOverOffer(message, member) || message.kind === 'progress') return false;
  return message.kind !== 'idle' || member.seat.lead;
}
