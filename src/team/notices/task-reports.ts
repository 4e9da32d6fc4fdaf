/** What others are told when a member has done a task: the lead of a completion, the gates of a review that waits. */

import type { Fact } from '../../events/event.js';
import type { Seat } from '../../events/facts/frozen.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { isLive, type Task, type TaskState, type TeamState } from '../state.js';
import { quote, reportText } from './notices.js';

/** A task in review is completed: what was handed in is its result, and the lead is told. */
export function completionFacts(
  state: TeamState,
  ids: Numbering,
  task: Task,
  { member, attempt, summary, evidence, artifacts }: Extract<TaskState, { kind: 'in_review' }>,
): Fact[] {
  return [
    {
      type: 'task.completed',
      task: task.id,
      member,
      attempt,
      summary,
      evidence: [...evidence],
      artifacts: [...artifacts],
    },
    ...completionReport(state, ids, task, member, summary),
  ];
}

/** Tells the lead that a task is completed. */
export function completionReport(
  state: TeamState,
  ids: Numbering,
  task: Task,
  member: string,
  summary: string,
): Fact[] {
  return reportToLead(
    state,
    ids,
    member,
    `${member} has completed ${task.id}.\n${quote(`summary of ${task.id} by ${member}`, summary)}`,
    task.id,
  );
}

/** What was handed in, and by whom. */
interface HandedIn {
  readonly member: string;
  readonly attempt: number;
  readonly evidenceDigest: string;
  readonly summary: string;
  readonly evidence: readonly { readonly item: string; readonly text: string }[];
  readonly artifacts: readonly string[];
}

/**
 * Wakes whoever may review; one that has failed reads of it when it is put back to work. A gate that nobody here can give
 * is the lead's to fill.
 */
export function reviewMail(state: TeamState, ids: Numbering, task: Task, handedIn: HandedIn): Fact[] {
  const reviewers = [...state.members.values()].filter(
    ({ name, seat, life, stopping }) =>
      life.kind !== 'stopped' &&
      stopping === null &&
      name !== handedIn.member &&
      task.spec.gates.includes(seat.role),
  );
  const filled = new Set(reviewers.filter(isLive).map((member) => member.seat.role));
  const missing = task.spec.gates.filter((gate) => !filled.has(gate));
  const facts: Fact[] = [];
  if (reviewers.length > 0) {
    const to = reviewers.map((member) => member.name);
    facts.push(message(ids, 'report', 'runtime', to, reviewText(task, handedIn), task.id));
  }
  if (missing.length > 0) {
    const text =
      `${task.id} by ${handedIn.member} waits for a review by ${missing.join(', ')}, and nobody of that role is in ` +
      `the team: bring one with team_spawn, or cancel the task.\n${quote(`summary of ${task.id} by ${handedIn.member}`, handedIn.summary)}`;
    facts.push(...reportToLead(state, ids, handedIn.member, text, task.id));
  }
  return facts;
}

/** What a member that comes into the team is told of: the tasks that wait for the verdict of its role. */
export function waitingReviews(state: TeamState, ids: Numbering, seat: Seat): Fact[] {
  return [...state.tasks.values()].flatMap((task) =>
    task.state.kind === 'in_review' &&
    task.spec.gates.includes(seat.role) &&
    !task.state.verdicts.has(seat.role) &&
    task.gate === null
      ? [message(ids, 'report', 'runtime', [seat.member], reviewText(task, task.state), task.id)]
      : [],
  );
}

function reviewText(task: Task, handedIn: HandedIn): string {
  return (
    `${task.id}, attempt ${handedIn.attempt} by ${handedIn.member}, waits for your review. Look at it with team_task_get ` +
    `and give your verdict with team_review ${reviewArguments(task, handedIn)}. What you find beside the task goes into ` +
    `new_findings and holds it up no longer.\n${quote(`report on ${task.id} by ${handedIn.member}`, reportText(handedIn))}`
  );
}

/** The arguments of a verdict on exactly this report, as a reviewer is to give them. */
export function reviewArguments(
  task: Task,
  { attempt, evidenceDigest }: { readonly attempt: number; readonly evidenceDigest: string },
): string {
  return (
    `{"task":"${task.id}","attempt":${attempt},"evidence_digest":"${evidenceDigest}",` +
    '"verdict":"approve" or "request_changes","findings":"…"}'
  );
}
