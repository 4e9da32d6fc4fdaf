/** A turn that has to wait for its provider: parked until a time, or failed when it has waited too often (team.md §9). */

import type { Command } from '../command.js';
import { accepted, type Decision } from '../decision.js';
import { unanswered } from '../ledger.js';
import type { Numbering } from '../mail.js';
import type { Member, RefusalReason, TeamState, Wait } from '../state.js';
import { waitedFor } from '../waits.js';
import { endTurn, failTurn } from './turn-end.js';

/**
 * Refusals in a row that are waited for. A rate limit passes by itself, its windows are a minute long, and others may
 * use up each of them: twenty are a third of an hour and more. A provider that does not answer has been given a
 * minute by six growing waits; then the lead should know.
 */
const WAITED_FOR: Readonly<Record<RefusalReason, number>> = { rate_limited: 20, unavailable: 6 };

/** Divides a turn: its member is due again at a time, or when the budget has room, and asks then. */
export function waitTurn(
  state: TeamState,
  command: Extract<Command, { kind: 'turn.wait' }>,
  now: number,
  ids: Numbering,
): Decision {
  const { member, turn, why, provider, upto, calls, text, need = null } = command;
  const before = state.members.get(member);
  if ((before?.stopping ?? null) !== null) {
    const ended = {
      kind: 'turn.end',
      outcome: 'cancelled',
      request: null,
      cut: false,
      detail: null,
    } as const;
    return endTurn(state, { ...ended, member, turn, upto, calls, text }, ids); // It asks no more.
  }
  const refusals = why === 'budget' ? 0 : refusalsOf(before, why) + (command.asked ? 1 : 0);
  if (why !== 'budget' && command.asked && refusals > WAITED_FOR[why]) {
    const error = `${waitedFor(command)} ${refusals} times in a row; its last word: ${command.detail}`;
    const { perhapsUsed = false } = command;
    return failTurn(
      state,
      { kind: 'turn.fail', member, turn, upto, calls, code: why, error, perhapsUsed },
      ids,
    );
  }
  const wait: Wait = {
    // Whole milliseconds that have passed for certain: team time counts them down, and the wait began within one.
    until: Math.ceil(now + command.waitMs) + 1,
    why,
    provider,
    try: refusals,
    detail: command.detail,
    need: why === 'budget' ? need : null,
  };
  const used = before !== undefined && command.perhapsUsed === true ? unanswered(before) : [];
  return accepted(...used, {
    type: 'turn.ended',
    turn,
    member,
    outcome: 'parked',
    request: null,
    wait,
    upto,
    text: command.text,
    calls,
    detail: null,
    truncated: false,
  });
}

function refusalsOf(member: Member | undefined, why: RefusalReason): number {
  return member?.refusals[why] ?? 0;
}
