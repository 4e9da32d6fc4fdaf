/**
 * A turn whose process is gone (spec/engine.md §2 "Fences"): with the only process of the team, on resume, or with one of
 * many, when whoever sweeps has seen that nobody holds its lease.
 *
 *  T1 only that very turn is lost, and only when it began at least one lease ago: a key may be late, its turn is not dead for it;
 *  T2 its member keeps what it has claimed and is due again; whoever was to stop has stopped with its turn;
 *  T3 so many in a row without an answer or a tool that began (`limits.lost_turns`) end the attempt as crashed; a member
 *     without a task has failed;
 *  T4 while its old process is known to be alive no other turn of the member begins.
 */

import type { Fact } from '../../events/event.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { unanswered } from '../ledger.js';
import type { Numbering } from '../mail.js';
import { type Life, type Member, RECLAIMS, type TeamState } from '../state.js';
import { secondsText } from '../waits.js';
import { endAttempts, lostTurns } from './attempt-end.js';
import { heldTasks } from './held-tasks.js';
import { withdrawFacts } from './request.js';
import { stoppedFacts } from './stop.js';
import { memberFailedFacts } from './turn-end.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;
type Unheld = Of<'turn.lose' | 'turn.defer_reclaim'>;

/** Takes a turn from the process that had it. The sender has seen that its lease is gone; `too_early`: it may come yet. */
export function loseTurn(state: TeamState, command: Of<'turn.lose'>, now: number, ids: Numbering): Decision {
  const found = unheld(state, command, now);
  if ('kind' in found) return found;
  const { member, life } = found;
  const lost: Fact = {
    type: 'turn.lost',
    turn: life.turn,
    member: member.name,
    ...(life.host === null ? {} : { host: life.host }),
    detail: command.detail,
  };
  return accepted(lost, ...unanswered(member), ...afterLoss(state, member, ids));
}

/** Says that it cannot be taken over yet. Kept until people are told of it, and then no more: it is asked again and again. */
export function deferReclaim(state: TeamState, command: Of<'turn.defer_reclaim'>, now: number): Decision {
  const found = unheld(state, command, now);
  if ('kind' in found) return found;
  const { member, life } = found;
  if (life.deferrals >= RECLAIMS) return accepted();
  return accepted({
    type: 'turn.reclaim_deferred',
    turn: life.turn,
    member: member.name,
    host: command.host,
    count: life.deferrals + 1,
    detail: command.detail,
  });
}

/** What follows when the turn of a member is lost, or, of one that is to stop, when nobody has it any more. */
export function afterLoss(state: TeamState, member: Member, ids: Numbering): Fact[] {
  if (member.stopping !== null) return stoppedFacts(state, member, member.stopping, ids);
  return member.lost + 1 < lostTurns(state) ? [] : crashedFacts(state, member, ids);
}

/** The live turn that the command is about (`decide` has seen that it is), or why it is left alone. */
function unheld(
  state: TeamState,
  { member: name, olderThanMs }: Unheld,
  now: number,
): Refusal | { readonly member: Member; readonly life: Extract<Life, { kind: 'working' }> } {
  const member = state.members.get(name);
  if (member?.life.kind !== 'working') return refused('stale_turn', `${name} has no turn`);
  const { life } = member;
  const age = now - life.startedAt;
  if (age >= olderThanMs) return { member, life };
  const left = secondsText(olderThanMs - age);
  return refused(
    'too_early',
    `turn ${life.turn} of ${name} is young: it is taken over in ${left} at the earliest`,
  );
}

/** Turns of the member were lost too often: its attempts end as crashed. */
function crashedFacts(state: TeamState, member: Member, ids: Numbering): Fact[] {
  const held = heldTasks(state, member);
  const often = lostTurns(state);
  if (held.length === 0)
    return memberFailedFacts(state, member, 'crashed', `${often} turns were lost with their process`, ids);
  return [
    ...withdrawFacts(state, member.name, `${often} turns of ${member.name} were lost`),
    ...endAttempts(state, member, held, { reason: 'crashed', text: null }, ids),
  ];
}
