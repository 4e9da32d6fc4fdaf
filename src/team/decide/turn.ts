/** The rules of a running turn: when it may start, what a model call and a tool call take (spec/engine.md §2). */

import type { Fact } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import type { Budget } from '../budget.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { coalescedCauses, leadHasFailed, memberCause } from '../due.js';
import {
  type OverLimit,
  overLimit,
  type RunLimit,
  roomFor,
  unanswered,
  withoutReservation,
  withUsage,
} from '../ledger.js';
import { message, type Numbering } from '../mail.js';
import { offerText } from '../notices/notices.js';
import { readyOffers } from '../offers.js';
import { admits } from '../policy/policy.js';
import type { Member, TeamState } from '../state.js';
import { leftOf, secondsText, waitedFor } from '../waits.js';
import { MAX_TURNS, memberFailedFacts } from './turn-end.js';
import { notServedOn } from './workspace.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Whether as many members work as may at once. */
function isFull({ run, members }: TeamState): boolean {
  let working = 0;
  for (const { life } of members.values()) if (life.kind === 'working') working++;
  return working >= (run?.limits.concurrency ?? 0);
}

/**
 * Starts a turn for a member that is due, and makes the offer that is waiting for it. A job is a hint: whoever is
 * no longer due or already works gets a refusal, and no harm is done. The exclusive workspace is taken here, at the
 * start, and by nobody who only waits for it: that it has to wait is said once a cause, then refused.
 */
export function startTurn(
  state: TeamState,
  command: Of<'turn.start'>,
  now: number,
  ids: Numbering,
): Decision {
  const member = state.members.get(command.member);
  if (member === undefined) return refused('unknown_member', `no member is named ${command.member}`);
  if (state.phase.kind !== 'running')
    return refused('not_running', `the run is ${state.phase.kind}: no new turns`);
  if (leadHasFailed(state))
    return refused('lead_failed', 'the lead has failed: the run is ending, no new turns');
  const limit = overLimit(state, now);
  if (limit !== undefined) return overLimitRefusal(limit);
  if (member.life.kind === 'working') {
    return refused('already_working', `${member.name} works on turn ${member.life.turn}`);
  }
  const offer = readyOffers(state).get(member.name);
  const cause = memberCause(state, member, now) ?? offer?.cause;
  if (cause === undefined) return refused('not_due', notDue(member, now));
  const maxTurns = member.seat.max_turns;
  if (maxTurns !== null && member.turns >= maxTurns) {
    const error = `the role allows ${maxTurns} turns and all are used`;
    return accepted(...memberFailedFacts(state, member, MAX_TURNS, error, ids));
  }
  const { host, worker } = command;
  const elsewhere = host === undefined ? undefined : notServedOn(state, member, host);
  if (elsewhere !== undefined) return elsewhere;
  // One process keeps the bound by itself; of several none knows what the others begin.
  if (host !== undefined && isFull(state))
    return refused('concurrency', 'as many members work as limits.concurrency allows');
  if (member.seat.exclusive_workspace) {
    for (const other of state.members.values()) {
      if (other.life.kind !== 'working' || !other.seat.exclusive_workspace) continue;
      if (member.deferred !== cause)
        return accepted({ type: 'turn.deferred', member: member.name, cause, behind: other.name });
      return refused('workspace_busy', `${other.name} works in the exclusive workspace`);
    }
  }
  const facts: Fact[] = [
    {
      type: 'turn.started',
      member: member.name,
      cause,
      attempt: member.lost + 1,
      coalesced: coalescedCauses(state, member, cause, offer?.cause),
      ...(host === undefined ? {} : { host }),
      ...(worker === undefined ? {} : { worker }),
    },
  ];
  const task = offer === undefined ? undefined : state.tasks.get(offer.task);
  if (task !== undefined)
    facts.push(message(ids, 'offer', 'runtime', [member.name], offerText(state, task), task.id));
  return accepted(...facts);
}

function notDue(member: Member, now: number): string {
  if (member.life.kind !== 'waiting') return `nothing is due for ${member.name}`;
  const { life } = member;
  if (life.why === 'budget') return `${member.name} waits for ${waitedFor(life)}`;
  return `${member.name} waits for ${waitedFor(life)}, ${secondsText(leftOf(life, now))} more`;
}

/**
 * Sets a model call against the limits before it is made (spec/team.md §9): no new call starts over a limit, and none
 * that could come to pass one. `no_room`: it fits once calls of others are booked. A call that never fits is the end of
 * the run, and the record says so.
 */
export function reserveBudget(state: TeamState, command: Of<'budget.reserve'>, now: number): Decision {
  if (state.phase.kind === 'stopping') return refused('stopping', 'the run is being stopped');
  const { turn, member, wish } = command;
  const limit = overLimit(state, now, 'turns');
  if (limit !== undefined) return overLimitRefusal(limit);
  const most = state.run?.limits.record_bytes ?? 0;
  if (command.recordBytes >= most) return met('record_bytes', command.recordBytes, most);
  // A call of the same turn that nobody answered (a summary of its memory) is over when the next one is made.
  const before = unansweredOf(state, member);
  const room = roomFor({ ...state, budget: before.budget }, wish);
  switch (room.kind) {
    case 'granted':
      return accepted(...before.facts, {
        type: 'budget.reserved',
        turn,
        member,
        model: wish.model,
        input_tokens: wish.inputTokens,
        output_tokens: room.outputTokens,
        tokens: wish.inputTokens + room.outputTokens,
        cost_usd: room.costUsd,
      });
    case 'reserved':
      return refused(
        'no_room',
        `${member} waits: what is left of the budget is reserved by calls and briefs under way`,
      );
    case 'none':
      return met(room.limit, room.used, state.run?.limits[room.limit] ?? 0);
    default:
      return assertNever(room, 'room in the budget');
  }
}

/** A member's call that is still reserved, as facts that book it, and the ledger after them. */
function unansweredOf(
  state: TeamState,
  name: string,
): { readonly facts: readonly Fact[]; readonly budget: Budget } {
  const member = state.members.get(name);
  if (member === undefined || member.reserved === null) return { facts: [], budget: state.budget };
  const facts = unanswered(member);
  return { facts, budget: facts.reduce(withUsage, withoutReservation(state.budget, member.reserved)) };
}

/** The refusal that ends the run: once it is in the record, nobody asks any more. */
function met(limit: RunLimit, value: number, bound: number): Decision {
  const text = `the run has used ${value} of ${bound} (limits.${limit}), and the next call does not fit into the rest`;
  return refused('limit', text, [{ type: 'limit.reached', limit, value, member: null }]);
}

/** A limit of the whole run was met: nothing that uses it up begins. */
export function overLimitRefusal({ limit, value, bound }: OverLimit): Refusal {
  return refused(
    'limit',
    `the run has reached its limit of ${limit}: ${value} of ${bound} (limits.${limit})`,
  );
}

/** Books a reply and counts the mail of its input as delivered: one entry, so neither is there without the other. */
export function settleReply(state: TeamState, command: Of<'reply.settle'>, now: number): Decision {
  const facts: Fact[] = [
    {
      type: 'budget.spent',
      turn: command.turn,
      member: command.member,
      model: command.model,
      input_tokens: command.inputTokens,
      cached_tokens: command.cachedTokens,
      output_tokens: command.outputTokens,
      cost_usd: command.costUsd,
      estimated: false,
    },
  ];
  const delivered = deliveredFact(
    state,
    command.member,
    command.turn,
    command.delivered,
    command.suppressed,
    now,
  );
  if (delivered !== undefined) facts.push(delivered);
  return accepted(...facts);
}

/** Tells of a memory that was compacted; nothing is decided by it. */
export function compactMemory(command: Of<'memory.compact'>): Decision {
  return accepted({
    type: 'member.compacted',
    member: command.member,
    turn: command.turn,
    entry: command.entry,
    model: command.model,
    before_tokens: command.beforeTokens,
    after_tokens: command.afterTokens,
  });
}

/**
 * Mail in an answered input of a turn that was lost before it could say so: the answer counts, and nothing of it is
 * put in a second time.
 */
export function recoverMail(state: TeamState, command: Of<'mail.recover'>, now: number): Decision {
  const unread = new Set(state.members.get(command.member)?.unread);
  const ids = command.ids.filter((id) => unread.has(id));
  const fact = deliveredFact(state, command.member, command.turn, ids, ids, now);
  return fact === undefined ? accepted() : accepted(fact);
}

function deliveredFact(
  state: TeamState,
  member: string,
  turn: number,
  ids: readonly string[],
  suppressed: readonly string[],
  now: number,
): Fact | undefined {
  const unread = new Set(state.members.get(member)?.unread);
  const messages = ids
    .filter((id) => unread.has(id))
    .map((id) => ({ id, waited_ms: Math.max(0, Math.round(now - (state.messages.get(id)?.sentAt ?? now))) }));
  if (messages.length === 0 && suppressed.length === 0) return undefined;
  return { type: 'mail.delivered', member, turn, messages, suppressed: [...suppressed] };
}

/** A call with an effect begins: recorded before it runs, and its approval, if it needed one, is used up. */
export function startTool(state: TeamState, command: Of<'tool.start'>): Decision {
  if (state.members.get(command.member)?.started.has(command.place) === true) {
    return refused('already_started', `the call at ${command.place} has started before`);
  }
  const refusal = notAdmittedClass(state, command);
  if (refusal !== undefined) return refusal;
  if (command.request !== null) {
    const request = state.requests.get(command.request);
    const status = request?.status;
    if (request === undefined || status?.kind !== 'decided' || status.decision !== 'approve') {
      return refused('not_approved', `request ${command.request} is not approved`);
    }
    if (status.used) return refused('approval_used', `the approval of ${command.request} has been used`);
    if (request.digest !== command.digest || request.member !== command.member) {
      return refused('digest_mismatch', `request ${command.request} approved another call than this one`);
    }
  }
  return accepted({
    type: 'tool.started',
    turn: command.turn,
    member: command.member,
    place: command.place,
    tool: command.tool,
    class: command.class,
    digest: command.digest,
    request: command.request,
  });
}

/**
 * What safety and plan mode exclude does not start, whoever has said yes to it (invariant 14): the policy has refused it
 * before, and this is the last door.
 */
export function notAdmittedClass(
  state: TeamState,
  command: Pick<Of<'tool.start'>, 'member' | 'class'>,
): Refusal | undefined {
  const { run, members } = state;
  if (run === null) return refused('not_started', 'the team was never started');
  if (!admits(run.safety, command.class)) {
    return refused('not_admitted', `safety ${run.safety} does not admit ${command.class} tools`);
  }
  const plan = members.get(command.member)?.plan.kind;
  if (command.class !== 'read' && (plan === 'required' || plan === 'pending')) {
    return refused('not_admitted', `plan mode: no ${command.class} tool before the plan is approved`);
  }
  return undefined;
}
