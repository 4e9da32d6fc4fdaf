/**
 * What the facts of a turn do to its member and to the budget.
 *
 * A wait divides a turn in two (spec/team.md §9): the part before it is not counted as a turn, and a call that was
 * refused is not counted as made. What a crash leaves unsaid stays counted.
 */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import { turnScope } from '../applied.js';
import { reserve, unreserve, use } from '../ledger.js';
import { type Life, type Member, NO_PART, NO_REFUSALS, type TeamState } from '../state.js';
import { letReadOffersPass, takeOffersBack } from './board.js';
import { noteWrite } from './brief.js';
import { NOTHING } from './none.js';
import { memberOf, setMember, writable } from './writable.js';

type TurnFact = FactOf<
  | 'turn.started'
  | 'turn.deferred'
  | 'turn.lost'
  | 'turn.reclaim_deferred'
  | 'turn.ended'
  | 'tool.started'
  | 'budget.reserved'
  | 'budget.spent'
>;

/** Applies one fact of a turn. */
export function evolveTurn(state: TeamState, fact: TurnFact, number: number): void {
  switch (fact.type) {
    case 'turn.started': {
      const { cause, attempt, host = null, worker = null } = fact;
      dropReservation(state, fact.member);
      const held = { startedAt: state.at, host, worker, deferrals: 0 };
      setMember(state, fact.member, {
        life: { kind: 'working', turn: number, cause, attempt, ...held },
        turns: memberOf(state, fact.member).turns + 1,
        deferred: null,
      });
      count(state, { turns: 1, modelCalls: 0 });
      break;
    }
    case 'turn.deferred':
      setMember(state, fact.member, { deferred: fact.cause });
      break;
    case 'turn.lost':
      loseTurn(state, fact.member, number);
      break;
    case 'turn.reclaim_deferred': {
      const { life } = memberOf(state, fact.member);
      if (life.kind === 'working' && life.turn === fact.turn)
        setMember(state, fact.member, { life: { ...life, deferrals: fact.count } });
      break;
    }
    case 'turn.ended':
      endTurn(state, fact, number);
      break;
    case 'tool.started': {
      const started = new Map(memberOf(state, fact.member).started);
      started.set(fact.place, { tool: fact.tool, request: fact.request });
      setMember(state, fact.member, { started, lost: 0 });
      if (fact.request !== null) useApproval(state, fact.request);
      noteWrite(state, fact);
      break;
    }
    case 'budget.reserved': {
      dropReservation(state, fact.member);
      const { turn, model, tokens } = fact;
      const of = { inputTokens: fact.input_tokens, outputTokens: fact.output_tokens, costUsd: fact.cost_usd };
      const reserved = { turn, model, tokens, ...of };
      reserve(writable(state).budget, reserved);
      setMember(state, fact.member, { reserved });
      break;
    }
    case 'budget.spent':
      dropReservation(state, fact.member);
      use(writable(state).budget, fact);
      if (!fact.estimated) answered(state, fact.member);
      break;
    default:
      assertNever(fact, 'fact of a turn');
  }
}

/** The member has an answer: what was in a row without one is over. Most had nothing, and are not copied for it. */
function answered(state: TeamState, name: string): void {
  const { lost, refusals } = memberOf(state, name);
  if (lost > 0 || refusals !== NO_REFUSALS) setMember(state, name, { lost: 0, refusals: NO_REFUSALS });
}

/**
 * The process of a member's turn is gone: whether its call was made nobody knows, so that stays counted; whatever else the
 * turn had begun is there for the next one to look at, which is due by this fact.
 */
export function loseTurn(state: TeamState, name: string, number: number): void {
  dropReservation(state, name);
  const { lost } = memberOf(state, name);
  setMember(state, name, { life: { kind: 'idle', since: number, due: number }, lost: lost + 1 });
}

/** The call of a member is under way no more. Whether it was used, another fact says; without one it was not. */
export function dropReservation(state: TeamState, name: string): void {
  const { reserved } = memberOf(state, name);
  if (reserved === null) return;
  unreserve(writable(state).budget, reserved);
  setMember(state, name, { reserved: null });
}

function endTurn(state: TeamState, fact: FactOf<'turn.ended'>, number: number): void {
  const member = memberOf(state, fact.member);
  dropReservation(state, fact.member);
  setMember(state, fact.member, {
    life: lifeAfter(state, fact, number),
    lastText: fact.text ?? member.lastText,
    upto: fact.upto,
    started: fact.outcome === 'parked' ? member.started : NOTHING,
    beforeWait: NO_PART,
  });
  if (fact.wait !== null) {
    divide(state, member, fact, fact.wait);
  } else if (fact.outcome === 'finished' || fact.outcome === 'no_progress' || fact.truncated) {
    setMember(state, fact.member, { nudges: 0 }); // A nudge in the same entry counts on from the last.
    letReadOffersPass(state, fact.member);
  } else if (fact.outcome === 'parked') {
    takeOffersBack(state, fact.member); // Others need not wait for the answer; it may be offered again afterwards.
  }
  writable(state).appliedInTurns.delete(turnScope(fact.member));
}

function lifeAfter({ at }: TeamState, fact: FactOf<'turn.ended'>, number: number): Life {
  const { turn, request, wait, outcome } = fact;
  if (wait !== null) {
    const { until, why, provider, detail, need } = wait;
    return { kind: 'waiting', turn, since: number, from: at, until, why, provider, said: detail, need };
  }
  if (request !== null) return { kind: 'parked', turn, request };
  // Whether a turn that a limit of its own has cut off is gone on with is decided beside its end, not by it.
  const goesOn = (outcome === 'limit' && !fact.truncated) || outcome === 'cancelled';
  return { kind: 'idle', since: number, due: goesOn ? number : null };
}

/**
 * The turn goes on after the wait. Its offers stay with the member: the time is known, and whoever else could be asked
 * instead may stand before the same gate.
 */
function divide(
  state: TeamState,
  before: Member,
  fact: FactOf<'turn.ended'>,
  wait: NonNullable<FactOf<'turn.ended'>['wait']>,
): void {
  const { turn, calls, text } = before.beforeWait;
  setMember(state, fact.member, {
    turns: before.turns - 1,
    refusals: wait.why === 'budget' ? before.refusals : { ...before.refusals, [wait.why]: wait.try },
    beforeWait: { turn: turn ?? fact.turn, calls: calls + fact.calls, text: fact.text ?? text },
  });
  count(state, { turns: -1, modelCalls: before.reserved === null ? 0 : -1 });
}

function count(state: TeamState, more: { readonly turns: number; readonly modelCalls: number }): void {
  const { budget } = writable(state);
  budget.turns += more.turns;
  budget.modelCalls += more.modelCalls;
}

function useApproval(state: TeamState, id: string): void {
  const request = state.requests.get(id);
  if (request?.status.kind !== 'decided') return;
  writable(state).requests.set(id, { ...request, status: { ...request.status, used: true } });
}
