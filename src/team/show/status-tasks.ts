/**
 * What `status` tells of each task: where it stands, why it does not move, how its review goes and its work grows
 * (spec/team.md §4, §7). snake_case, JSON-serialisable, fields only added within v1.
 */

import type { FactOf } from '../../events/event.js';
import type { BlockReason } from '../../events/facts/work.js';
import { waitingOn } from '../board.js';
import type { Delivered } from '../brief.js';
import type { Submission, Task, TeamState } from '../state.js';

export interface TaskView {
  readonly id: string;
  readonly subject: string;
  readonly state: Task['state']['kind'];
  readonly role: string | null;
  readonly owner: string | null;
  readonly attempt: number;
  readonly waiting_on: readonly string[];
  /** How its last attempt ended, where that was badly and nobody has taken it since. */
  readonly flag: Task['flag'];
  readonly blocked: {
    readonly reason: BlockReason;
    readonly on: readonly string[];
    readonly detail: string;
  } | null;
  /** Why it has ended without a result. */
  readonly ended: { readonly cause: string; readonly detail: string } | null;
  /** Null before the first report was handed in for review. */
  readonly review: ReviewView | null;
  /** The brief by which an engineer works on it. */
  readonly brief: string | null;
  /** What an engineer has delivered of it last. */
  readonly delivered: Delivered | null;
}

export interface ReviewView {
  /** Rounds that ended in changes, since they were last counted anew, and how many there may be. */
  readonly rounds: number;
  readonly limit: number | null;
  /** Of the report that is in review now; null while it is with its owner. */
  readonly evidence_digest: string | null;
  /** Roles whose verdict is missing. */
  readonly waits_for: readonly string[];
  /** The request by which the operator is asked how it goes on. */
  readonly gate: string | null;
  readonly submissions: readonly SubmissionView[];
}

export interface SubmissionView {
  readonly evidence_digest: string;
  readonly artifact_bytes: number | null;
  /** Bytes more than in the report before, null where one of the two was not measured. */
  readonly grown_by: number | null;
  readonly verdicts: readonly {
    readonly role: string;
    readonly member: string;
    readonly verdict: FactOf<'task.reviewed'>['verdict'];
  }[];
}

/** One task as `status` shows it. */
export function taskView(state: TeamState, task: Task): TaskView {
  const { id, spec, attempts, flag } = task;
  return {
    id,
    subject: spec.subject,
    state: task.state.kind,
    role: spec.role,
    owner: 'member' in task.state ? task.state.member : null,
    attempt: attempts,
    waiting_on: task.state.kind === 'pending' ? waitingOn(state, task) : [],
    flag,
    blocked: blockedView(task),
    ended: endedView(task),
    review: reviewView(state, task),
    brief: task.brief,
    delivered: task.delivered,
  };
}

function blockedView({ state }: Task): TaskView['blocked'] {
  if (state.kind !== 'blocked') return null;
  return { reason: state.reason, on: [...state.on], detail: state.detail };
}

function endedView({ state }: Task): TaskView['ended'] {
  if (state.kind === 'failed') return { cause: state.cause, detail: state.detail };
  return state.kind === 'cancelled' ? { cause: 'cancelled', detail: state.detail } : null;
}

function reviewView({ run }: TeamState, task: Task): ReviewView | null {
  if (task.submissions.length === 0) return null;
  const review = task.state.kind === 'in_review' ? task.state : null;
  return {
    rounds: task.rounds,
    limit: run?.limits.review_rounds ?? null,
    evidence_digest: review?.evidenceDigest ?? null,
    waits_for: review === null ? [] : task.spec.gates.filter((role) => !review.verdicts.has(role)),
    gate: task.gate,
    submissions: submissionViews(task.submissions),
  };
}

/** Reports in order, each with how much the artifacts have grown since the one before (case D95). */
export function submissionViews(submissions: readonly Submission[]): SubmissionView[] {
  return submissions.map(({ digest, bytes, verdicts }, place) => {
    const before = submissions[place - 1]?.bytes ?? null;
    return {
      evidence_digest: digest,
      artifact_bytes: bytes,
      grown_by: bytes === null || before === null ? null : bytes - before,
      verdicts: verdicts.map(({ role, member, verdict }) => ({ role, member, verdict })),
    };
  });
}
