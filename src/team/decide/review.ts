/**
 * Gates: a task that was handed in waits for the verdict of each gate role (spec/team.md §4).
 *
 *  V1 a verdict counts from a member of the role who is not the owner, and names the attempt and the digest of the
 *     evidence it saw: one on other evidence is refused;
 *  V2 changes are asked for by findings, which the owner has to go by; they void the earlier verdicts and return the task
 *     to its owner; after `limits.review_rounds` of them the operator is asked, and until then nobody goes on (`decide/gate.ts`);
 *  V3 a verdict of somebody who was cut off is inconclusive: recorded, counted neither way, asked for again a few times;
 *  V4 what lies beside the task is proposed to the lead and holds nothing up.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { hasUnreadAbout, message, type Numbering, reportToLead } from '../mail.js';
import { quote } from '../notices/notices.js';
import { completionFacts, reviewArguments } from '../notices/task-reports.js';
import type { Member, Task, TaskState, TeamState } from '../state.js';
import { isLastRound, openGateFact } from './gate.js';
import { unknownTask } from './task-refusals.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** How often a reviewer that was cut off is asked again about one report. */
const ASKED_AGAIN = 2;

/** A gate role's verdict on the report it saw. The last missing approval completes the task. */
export function reviewTask(state: TeamState, command: Of<'task.review'>, ids: Numbering): Decision {
  const task = state.tasks.get(command.task);
  const reviewer = state.members.get(command.member);
  if (task === undefined || reviewer === undefined) return unknownTask(state, command.task);
  if (task.state.kind !== 'in_review')
    return refused('not_in_review', `${task.id} is ${task.state.kind}, not in review`);
  const refusal = notToBeGiven(task, task.state, reviewer, command);
  if (refusal !== undefined) return refusal;
  const reviewed: FactOf<'task.reviewed'> = {
    type: 'task.reviewed',
    task: task.id,
    attempt: command.attempt,
    role: reviewer.seat.role,
    member: command.member,
    verdict: command.verdict,
    findings: command.findings,
    evidence_digest: task.state.evidenceDigest,
  };
  const beside = proposals(state, task, command, ids);
  switch (command.verdict) {
    case 'inconclusive':
      return accepted(reviewed, ...askAgain(state, task, task.state, reviewer, ids), ...beside);
    case 'request_changes':
      return accepted(...changes(state, task, task.state.member, reviewed, ids), ...beside);
    case 'approve': {
      const approved = new Set([...task.state.verdicts.keys(), reviewer.seat.role]);
      if (!task.spec.gates.every((gate) => approved.has(gate))) return accepted(reviewed, ...beside);
      if (command.missingArtifacts.length > 0) {
        const paths = command.missingArtifacts.map((path) => oneLine(path)).join(', ');
        return refused(
          'artifact_missing',
          `${task.id} cannot be completed: not found in the workspace: ${paths}; ask for changes, naming what is missing`,
        );
      }
      return accepted(reviewed, ...completionFacts(state, ids, task, task.state), ...beside);
    }
  }
}

/**
 * The verdicts that a turn which was cut off leaves open: of each report that waits for the member's role and that the
 * member was told of. Each is asked for again, a few times.
 */
export function cutOffFacts(state: TeamState, member: Member, ids: Numbering): Fact[] {
  return [...state.tasks.values()].flatMap((task): Fact[] => {
    const review = task.state;
    if (review.kind !== 'in_review' || task.gate !== null || review.member === member.name) return [];
    if (!task.spec.gates.includes(member.seat.role) || review.verdicts.has(member.seat.role)) return [];
    if (cutOffTimes(task, member.seat.role) > ASKED_AGAIN) return [];
    if (hasUnreadAbout(state, member, task.id)) return []; // It has not begun.
    const { role } = member.seat;
    return [
      {
        type: 'task.reviewed',
        task: task.id,
        attempt: review.attempt,
        role,
        member: member.name,
        verdict: 'inconclusive',
        findings: '',
        evidence_digest: review.evidenceDigest,
      },
      ...askAgain(state, task, review, member, ids),
    ];
  });
}

type InReview = Extract<TaskState, { kind: 'in_review' }>;

function notToBeGiven(
  task: Task,
  review: InReview,
  reviewer: Member,
  command: Of<'task.review'>,
): Decision | undefined {
  const { role } = reviewer.seat;
  if (review.attempt !== command.attempt) {
    return refused(
      'stale_attempt',
      `attempt ${command.attempt} of ${task.id} is over; ${review.attempt} is in review`,
    );
  }
  if (!task.spec.gates.includes(role)) {
    return refused('not_a_gate', `${task.id} is reviewed by ${task.spec.gates.join(', ')}; you are ${role}`);
  }
  if (review.member === reviewer.name) return refused('own_work', `you cannot review your own ${task.id}`);
  if (review.evidenceDigest !== command.evidenceDigest) {
    return refused(
      'evidence_changed',
      `your verdict names the evidence ${oneLine(command.evidenceDigest, 80)}; in review is ${review.evidenceDigest}: ` +
        'look at it with team_task_get and judge that',
    );
  }
  if (command.verdict === 'request_changes' && command.findings.trim() === '') {
    return refused(
      'no_findings',
      `changes on ${task.id} are asked for by findings, and there are none: say what keeps it from being accepted`,
    );
  }
  if (task.gate !== null) {
    return refused(
      'with_operator',
      `the review rounds of ${task.id} are used up and the operator is asked how it goes on (${task.gate}); wait for the answer`,
    );
  }
  return undefined;
}

/** The owner has the findings, or, when the rounds are used up, the operator has the question. */
function changes(
  state: TeamState,
  task: Task,
  owner: string,
  reviewed: FactOf<'task.reviewed'>,
  ids: Numbering,
): Fact[] {
  const findings = quote(`findings by ${reviewed.member}`, reviewed.findings);
  if (!isLastRound(state, task)) {
    const text = `${reviewed.role} asks for changes on ${task.id}.\n${findings}`;
    return [reviewed, message(ids, 'report', 'runtime', [owner], text, task.id)];
  }
  const opened = openGateFact(state, task, reviewed, ids);
  const text =
    `${reviewed.role} asks for changes on ${task.id} after ${task.rounds + 1} review rounds ` +
    `(limits.review_rounds): the operator decides how it goes on (${opened.request}). Until then nobody works on it; ` +
    `you may still cancel it.\n${findings}`;
  // The request first: behind it the verdict leaves the task in review.
  return [opened, reviewed, ...reportToLead(state, ids, reviewed.member, text, task.id)];
}

/** The reviewer is asked again, unless it was cut off too often on this report; the lead is told in any case. */
function askAgain(
  state: TeamState,
  task: Task,
  review: InReview,
  { name, seat }: Member,
  ids: Numbering,
): Fact[] {
  const times = cutOffTimes(task, seat.role);
  const again = times < ASKED_AGAIN;
  const next = again
    ? 'It is asked again.'
    : `It was cut off ${times + 1} times and is not asked again: ask ${name} for less at once, or cancel the task.`;
  const told = reportToLead(
    state,
    ids,
    name,
    `The verdict of ${name} on ${task.id} is inconclusive: it was cut off. It counts neither way. ${next}`,
    task.id,
  );
  if (!again) return told;
  const text =
    `Your review of ${task.id} was cut off before it was whole, so it counts neither way. Be brief, and give your ` +
    `verdict with team_review ${reviewArguments(task, review)}.`;
  return [message(ids, 'report', 'runtime', [name], text, task.id), ...told];
}

/** How often a role was cut off over the report that waits now. */
function cutOffTimes(task: Task, role: string): number {
  const given = task.submissions.at(-1)?.verdicts ?? [];
  return given.filter((verdict) => verdict.verdict === 'inconclusive' && verdict.role === role).length;
}

/** What a reviewer found beside the task: the lead may make tasks of it. */
function proposals(state: TeamState, task: Task, command: Of<'task.review'>, ids: Numbering): Fact[] {
  const found = command.newFindings.filter((finding) => finding.trim() !== '');
  if (found.length === 0) return [];
  const text =
    `${command.member} has found what lies beside ${task.id} and does not hold it up. Make a task of what is worth one ` +
    `(team_task_create).\n${quote(`new findings by ${command.member}`, found.map((finding) => `- ${finding}`).join('\n'))}`;
  return reportToLead(state, ids, command.member, text, task.id);
}
