/** What facts about tasks do to the board. */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import { isUnreadOffer } from '../offers.js';
import type { Task, TaskState, TeamState } from '../state.js';
import { NONE, NOTHING, without } from './none.js';
import { addTask, memberOf, setMember, setTask, taskOf } from './writable.js';

type BoardFact = FactOf<
  | 'task.created'
  | 'task.updated'
  | 'task.claimed'
  | 'task.released'
  | 'task.blocked'
  | 'task.submitted'
  | 'task.reviewed'
  | 'task.completed'
  | 'task.failed'
  | 'task.cancelled'
  | 'task.reopened'
>;

/** Applies one fact about a task. */
export function evolveBoard(state: TeamState, fact: BoardFact, number: number): void {
  if (fact.type !== 'task.created') endOffer(state, fact.task);
  switch (fact.type) {
    case 'task.created':
      addTask(state, {
        id: fact.task,
        by: fact.by,
        spec: fact.spec,
        blockedBy: fact.spec.blocked_by.length === 0 ? NONE : new Set(fact.spec.blocked_by),
        state: { kind: 'pending', since: number },
        attempts: 0,
        holders: NOTHING,
        failedAttempts: 0,
        rounds: 0,
        submissions: [],
        gate: null,
        transients: 0,
        flag: null,
        offeredTo: NONE,
        offer: null,
        brief: null,
        delivered: null,
      });
      break;
    case 'task.updated': {
      const task = taskOf(state, fact.task);
      const blockedBy = new Set(task.blockedBy);
      for (const id of fact.remove_blocked_by) blockedBy.delete(id);
      for (const id of fact.add_blocked_by) blockedBy.add(id);
      const spec = {
        ...task.spec,
        subject: fact.subject ?? task.spec.subject,
        description: fact.description ?? task.spec.description,
        role: fact.role ?? task.spec.role,
      };
      const pending: TaskState =
        task.state.kind === 'pending' ? { kind: 'pending', since: number } : task.state;
      setTask(state, fact.task, { spec, blockedBy, state: pending, offeredTo: NONE });
      break;
    }
    case 'task.claimed': {
      setTask(state, fact.task, {
        state: { kind: 'claimed', member: fact.member, attempt: fact.attempt },
        attempts: fact.attempt,
        flag: null,
        holders: new Map(taskOf(state, fact.task).holders).set(fact.member, fact.attempt),
      });
      const claims = new Set(memberOf(state, fact.member).claims).add(fact.task);
      setMember(state, fact.member, { claims, nudges: 0 });
      break;
    }
    case 'task.released': {
      const task = taskOf(state, fact.task);
      const flag = fact.reason === 'no_progress' || fact.reason === 'crashed' ? fact.reason : null;
      dropClaim(state, fact.member, fact.task);
      if (fact.reason === 'crashed') setMember(state, fact.member, { lost: 0 });
      setTask(state, fact.task, {
        state: { kind: 'pending', since: number },
        failedAttempts: task.failedAttempts + (flag === null ? 0 : 1),
        flag,
        // Whoever gives a task back is asked last, not at once again.
        offeredTo: fact.reason === 'released' ? new Set(task.offeredTo).add(fact.member) : NONE,
      });
      break;
    }
    case 'task.blocked':
      endAttempt(state, fact.task);
      setTask(state, fact.task, {
        state: { kind: 'blocked', reason: fact.reason, on: fact.on, detail: fact.detail, since: number },
        transients: taskOf(state, fact.task).transients + (fact.reason === 'transient' ? 1 : 0),
      });
      break;
    case 'task.submitted':
      setTask(state, fact.task, {
        state: {
          kind: 'in_review',
          member: fact.member,
          attempt: fact.attempt,
          summary: fact.summary,
          evidence: fact.evidence,
          evidenceDigest: fact.evidence_digest,
          artifacts: fact.artifacts,
          verdicts: NOTHING,
          since: number,
        },
        submissions: [
          ...taskOf(state, fact.task).submissions,
          { digest: fact.evidence_digest, bytes: fact.artifact_bytes, verdicts: [] },
        ],
      });
      setMember(state, fact.member, { nudges: 0 });
      break;
    case 'task.reviewed':
      evolveReview(state, fact);
      break;
    case 'task.completed':
      endAttempt(state, fact.task);
      setMember(state, fact.member, { nudges: 0 });
      setTask(state, fact.task, {
        state: {
          kind: 'completed',
          member: fact.member,
          attempt: fact.attempt,
          summary: fact.summary,
          evidence: fact.evidence,
          artifacts: fact.artifacts,
          since: number,
        },
      });
      break;
    case 'task.failed':
      endAttempt(state, fact.task);
      setTask(state, fact.task, {
        state: { kind: 'failed', cause: fact.cause, detail: fact.detail, since: number },
      });
      break;
    case 'task.cancelled':
      endAttempt(state, fact.task);
      setTask(state, fact.task, {
        state: { kind: 'cancelled', detail: fact.detail, since: number },
      });
      break;
    case 'task.reopened':
      setTask(state, fact.task, {
        state: { kind: 'pending', since: number },
        failedAttempts: 0,
        transients: fact.by === 'runtime' ? taskOf(state, fact.task).transients : 0,
        flag: null,
        offeredTo: NONE,
      });
      break;
    default:
      assertNever(fact, 'task fact');
  }
}

/**
 * A verdict is kept with the report it is about. Changes void earlier verdicts and give the task back to its owner under
 * the same attempt, unless the operator is asked how to go on: then it stays where it is. An inconclusive one counts
 * neither way.
 */
function evolveReview(state: TeamState, fact: FactOf<'task.reviewed'>): void {
  const task = taskOf(state, fact.task);
  if (task.state.kind !== 'in_review') return;
  const { role, member, verdict, findings } = fact;
  const submissions = task.submissions.map((submission, place) =>
    place < task.submissions.length - 1
      ? submission
      : { ...submission, verdicts: [...submission.verdicts, { role, member, verdict, findings }] },
  );
  switch (verdict) {
    case 'request_changes': {
      const { member: owner, attempt } = task.state;
      const back: TaskState = { kind: 'claimed', member: owner, attempt };
      setTask(state, fact.task, {
        state: task.gate === null ? back : task.state,
        rounds: task.rounds + 1,
        submissions,
      });
      break;
    }
    case 'approve': {
      const verdicts = new Map(task.state.verdicts).set(role, { member, verdict });
      setTask(state, fact.task, { state: { ...task.state, verdicts }, submissions });
      break;
    }
    case 'inconclusive':
      setTask(state, fact.task, { submissions });
      break;
    default:
      assertNever(verdict, 'verdict');
  }
}

/** The operator is asked how a review goes on. */
export function openGate(state: TeamState, task: string, request: string): void {
  setTask(state, task, { gate: request });
}

/** The request is over: how its task goes on, facts of the task say. Nothing for a request that is no gate. */
export function closeGate(state: TeamState, request: string): void {
  const task = gatedBy(state, request);
  if (task !== undefined) setTask(state, task.id, { gate: null });
}

/** The operator gives the task of a gate back to its owner, under the same attempt; rounds are counted anew. */
export function reopenReview(state: TeamState, request: string): void {
  const task = gatedBy(state, request);
  if (task?.state.kind !== 'in_review') return;
  const { member, attempt } = task.state;
  setTask(state, task.id, { state: { kind: 'claimed', member, attempt }, rounds: 0 });
}

function gatedBy(state: TeamState, request: string): Task | undefined {
  return [...state.tasks.values()].find(({ gate }) => gate === request);
}

/** The member has let its offers pass: each stays counted as made to it, so others are asked first. */
export function letOffersPass(state: TeamState, member: string): void {
  pass(state, member, [...memberOf(state, member).offers]);
}

/** It has let those pass that it knew of; what it has not read stays offered. */
export function letReadOffersPass(state: TeamState, name: string): void {
  const member = memberOf(state, name);
  pass(
    state,
    name,
    [...member.offers].filter((id) => !isUnreadOffer(state, member, id)),
  );
}

function pass(state: TeamState, name: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  let { offers } = memberOf(state, name);
  for (const id of ids) {
    offers = without(offers, id);
    if (taskOf(state, id).offer === name) setTask(state, id, { offer: null });
  }
  setMember(state, name, { offers });
}

/** An attempt that had ended goes on under its own number; no newer one has begun. */
export function revive(
  state: TeamState,
  { task, member, attempt }: { readonly task: string; readonly member: string; readonly attempt: number },
): void {
  endOffer(state, task);
  setTask(state, task, { state: { kind: 'claimed', member, attempt }, flag: null });
  setMember(state, member, { claims: new Set(memberOf(state, member).claims).add(task), nudges: 0 });
}

/** The member could not answer its offers: they are taken back as if they had not been made. */
export function takeOffersBack(state: TeamState, member: string): void {
  for (const id of memberOf(state, member).offers) {
    setTask(state, id, { offeredTo: without(taskOf(state, id).offeredTo, member) });
  }
  letOffersPass(state, member);
}

/** A reminder of a task that is still to be had keeps the offer with the member, so nobody else is asked meanwhile. */
export function holdOffer(state: TeamState, member: string, id: string): void {
  if (taskOf(state, id).state.kind !== 'pending') return;
  setTask(state, id, { offer: member });
  setMember(state, member, { offers: new Set(memberOf(state, member).offers).add(id) });
}

/** Takes an offer of a task back from whoever holds it: it was claimed, or is no longer to be had. */
function endOffer(state: TeamState, id: string): void {
  const task = taskOf(state, id);
  if (task.offer === null) return;
  setMember(state, task.offer, { offers: without(memberOf(state, task.offer).offers, id) });
  setTask(state, id, { offer: null });
}

/** Empties a member's claims; the tasks' own facts say what becomes of them. */
export function releaseClaims(state: TeamState, member: string): void {
  setMember(state, member, { claims: NONE });
}

/** Ends the live attempt of a task, if it has one: its owner holds the task no longer. */
function endAttempt(state: TeamState, id: string): void {
  const task = taskOf(state, id);
  if (task.state.kind === 'claimed' || task.state.kind === 'in_review')
    dropClaim(state, task.state.member, id);
}

function dropClaim(state: TeamState, member: string, task: string): void {
  setMember(state, member, { claims: without(memberOf(state, member).claims, task), nudges: 0 });
}
