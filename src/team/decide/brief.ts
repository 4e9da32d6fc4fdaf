/**
 * Sending work to an engineer and calling it off: the words of members, lead and operator (spec/runner.md §4).
 *
 * A brief is prepared, signed and stored before it is sent, outside of here. So what it was prepared for is looked at once
 * more: whoever finds task, attempt or offer changed is told to prepare anew, and nothing has left.
 */

import type { Fact } from '../../events/event.js';
import type { Safety } from '../../events/facts/frozen.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { type Brief, briefWord, isLiveBrief } from '../brief.js';
import type { BriefOffer, Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { overLimit, roomForBrief } from '../ledger.js';
import type { Numbering } from '../mail.js';
import type { Member, Task, TeamState } from '../state.js';
import { askerName, askingMember } from './asker.js';
import { briefIsLive, cancelRequested } from './brief-leave.js';
import { claimTask } from './claim-task.js';
import { refusedByLimit } from './met-limit.js';
import { unknownTask } from './task-refusals.js';
import { notAdmittedClass, overLimitRefusal } from './turn.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** The class of a call that sends a brief: what an engineer may do under its safety. */
export const CLASS_OF_SAFETY: Readonly<Record<Safety, 'read' | 'write' | 'destructive'>> = {
  'read-only': 'read',
  'non-destructive': 'write',
  full: 'destructive',
};

/** Under which name the record keeps that a brief did not fit: for calls there may be room, so the run goes on. */
const BRIEF_COSTS = 'brief_cost_usd';

/** Sends a brief for a task that the member holds, or takes with it. */
export function sendBrief(
  state: TeamState,
  command: Of<'brief.send'>,
  now: number,
  ids: Numbering,
): Decision {
  const { sent, member: name } = command;
  const member = state.members.get(name);
  const task = state.tasks.get(sent.task);
  if (member === undefined || task === undefined) return unknownTask(state, sent.task);
  const limit = overLimit(state, now);
  if (limit !== undefined) return overLimitRefusal(limit);
  const unfit = mayNotDelegate(state, member, sent) ?? briefIsLive(state, task);
  if (unfit !== undefined) return unfit;
  const claim = heldOrTaken(state, task, command, ids);
  if (claim.kind === 'refused') return claim;
  const other = notPreparedForThis(state, task, sent);
  if (other !== undefined) return other;
  const costs = notAffordable(state, ids, name, sent);
  if (costs !== undefined) return costs;
  return accepted(...claim.facts, { type: 'brief.sent', member: name, ...sent });
}

/** Calls off an engineer: by the member that has delegated, the lead or the operator. */
export function cancelBrief(state: TeamState, { by, brief: id, reason }: Of<'brief.cancel'>): Decision {
  const brief = state.briefs.get(id);
  if (brief === undefined) return unknownBrief(state, id);
  const asker = askingMember(by);
  if (asker !== null && asker !== brief.sent.member && asker !== state.lead) {
    return refused(
      'not_yours',
      `brief ${id} is of ${brief.sent.member}; only that member and the lead (${state.lead}) may call it off`,
    );
  }
  if (!isLiveBrief(brief)) return refused('brief_over', `brief ${id} has ended: ${briefWord(brief)}`);
  if (brief.status.kind === 'cancelling') return accepted();
  return accepted(cancelRequested(brief, askerName(by), reason));
}

/** `unknown_brief` with those that are out. */
export function unknownBrief(state: TeamState, id: string, evidence: readonly Fact[] = []): Refusal {
  const out = [...state.briefs.values()].filter(isLiveBrief).map(({ sent }) => sent.brief);
  const list = out.length === 0 ? 'no brief is out' : `out are ${out.join(', ')}`;
  return refused('unknown_brief', `no brief ${id} was sent; ${list}`, evidence);
}

/** What neither run nor member admits, whoever has said yes to the call: this is the last door. */
function mayNotDelegate(
  state: TeamState,
  { name }: Member,
  { safety, verify }: BriefOffer,
): Refusal | undefined {
  const engineer = state.run?.engineer ?? null;
  if (engineer === null || !engineer.delegates.some(({ member }) => member === name)) {
    return refused('not_delegating', `${name} may not delegate to an engineer: its role does not say so`);
  }
  if (state.phase.kind === 'stopping')
    return refused('stopping', 'the run is being stopped: no engineer is sent any more');
  const keys = engineer.verify.map(({ key }) => key);
  const unknown = verify.find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    return refused('unknown_verify', `the recipe has no command ${unknown}; ${nameRemedy(unknown, keys)}`);
  }
  return notAdmittedClass(state, { member: name, class: CLASS_OF_SAFETY[safety] });
}

/** The claim that has to come with the brief, if any. */
function heldOrTaken(
  state: TeamState,
  task: Task,
  { member, turn, sent }: Of<'brief.send'>,
  ids: Numbering,
): Decision {
  if (task.state.kind === 'claimed' && task.state.member === member) {
    return task.state.attempt === sent.attempt ? accepted() : prepareAgain(task, sent, task.state.attempt);
  }
  if (task.state.kind === 'in_review' && task.state.member === member) {
    const gates = task.spec.gates.join(', ');
    return refused('in_review', `${task.id} is handed in and in review by ${gates}; wait for the verdict`);
  }
  const claim = claimTask(state, { kind: 'task.claim', task: task.id, member, turn }, ids);
  if (claim.kind === 'refused' || sent.attempt === task.attempts + 1) return claim;
  return prepareAgain(task, sent, task.attempts + 1);
}

/** The refusal of a brief that was prepared for an attempt which is not the live one. */
function prepareAgain(task: Task, sent: BriefOffer, attempt: number): Refusal {
  return refused(
    'prepare_again',
    `the brief is for attempt ${sent.attempt} of ${sent.task}, wanted is ${attempt} of ${task.id}: prepare it anew`,
  );
}

/** The refusal of a brief that was prepared for another offer of the attempt than the next. */
export function notPreparedForThis(state: TeamState, task: Task, sent: BriefOffer): Refusal | undefined {
  const next = 1 + offersOf(state, task.id, sent.attempt).length;
  if (sent.offer === next && !state.briefs.has(sent.brief)) return undefined;
  return refused(
    'prepare_again',
    `the brief is offer ${sent.offer} of attempt ${sent.attempt} of ${task.id}, the next is ${next}: prepare it anew`,
  );
}

/** The briefs of one attempt, in the order of their offers. */
export function offersOf({ briefs }: TeamState, task: string, attempt: number): Brief[] {
  return [...briefs.values()].filter(({ sent }) => sent.task === task && sent.attempt === attempt);
}

function notAffordable(
  state: TeamState,
  ids: Numbering,
  member: string,
  { cost_usd: usd }: BriefOffer,
): Decision | undefined {
  const room = roomForBrief(state);
  if (room === null || (usd !== null && usd <= room)) return undefined;
  const limit = state.run?.limits.cost_usd ?? 0;
  if (usd === null) {
    return refused(
      'cost_missing',
      `the team may cost ${limit} USD (limits.cost_usd), so a brief says the most that it may cost; ${room} are left`,
    );
  }
  const { costUsd, reservedUsd } = state.budget;
  const text =
    `the brief may cost ${usd} USD and ${room} are left of ${limit} (limits.cost_usd): ${costUsd ?? 'an unknown sum'} ` +
    `was used, ${reservedUsd} is reserved; let it cost less, or wait until others have ended`;
  return refusedByLimit(state, ids, { limit: 'cost_usd', as: BRIEF_COSTS, value: usd, member, text });
}
