/**
 * What the team knows of a brief, and the questions about it that every rule asks (spec/runner.md).
 *
 *  F1 a task has at most one brief that has not ended, and while it has one it comes to no end itself (invariant 1);
 *  F2 a brief that is sent or running is of the live attempt of its task: whatever ends that attempt cancels it;
 *  F3 behind the wish to cancel it nothing that a brief brings counts; it ends when its runner has said so, or is gone;
 *  F4 its whole cost is reserved from `brief.sent` to `brief.ended`, which books what was used, once.
 */

import type { FactOf } from '../events/event.js';
import type { BriefStep } from '../events/facts/briefs.js';

/** The code of evidence that is a result of a brief which has ended. */
export const LATE_RESULT = 'late_result';

/** Codes of evidence that no live runner can take a brief: its pool has none, or those that serve it lack something. */
export const UNSERVED: readonly string[] = ['no_runner', 'not_taken'];

/** Where a brief is in its life. Times are team time in milliseconds. */
export type BriefStatus =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'running';
      readonly runner: string;
      readonly step: BriefStep;
      readonly detail: string | null;
      readonly since: number;
    }
  /** It is to end and has not yet: nothing that it brings counts. */
  | {
      readonly kind: 'cancelling';
      readonly by: string;
      readonly reason: string;
      /** What its task becomes then, and the words that go with it. */
      readonly becomes: 'cancelled' | 'failed' | null;
      readonly detail: string | null;
      readonly runner: string | null;
      readonly since: number;
    }
  | {
      readonly kind: 'ended';
      readonly status: FactOf<'brief.ended'>['status'];
      readonly cause: FactOf<'brief.ended'>['cause'];
      readonly result: string | null;
      readonly runner: string | null;
      readonly since: number;
    };

export interface Brief {
  readonly sent: FactOf<'brief.sent'>;
  readonly sentAt: number;
  readonly status: BriefStatus;
  /** Its member was told that the engineer has said nothing for long: that is said once. */
  readonly stalled: boolean;
  /** The same was told of it: that no live runner can take it. */
  readonly unserved: boolean;
  /** A tool that writes ran in the team, or may have run, since it was sent: who changed the workspace is not known. */
  readonly written: boolean;
  /** Of one that is lost: the newest result that came after that, which may be adopted. */
  readonly late: string | null;
  /** That one was. */
  readonly adopted: boolean;
}

/** A brief that has not ended, with where it is. */
export type LiveBrief = Brief & { readonly status: Exclude<BriefStatus, { kind: 'ended' }> };

/** What lies in the workspace repository of an attempt. */
export interface Delivered {
  readonly attempt: number;
  readonly branch: string;
  readonly head: string;
}

/** The commit that an engineer has delivered for the last attempt of a task; null where there is none. */
export function deliveredHead({
  attempts,
  delivered,
}: {
  readonly attempts: number;
  readonly delivered: Delivered | null;
}): string | null {
  return delivered?.attempt === attempts ? delivered.head : null;
}

/** Whether a message tells how far a brief is that is out no more: its end was told, and nothing of this is news. */
export function isOverProgress(
  { kind, task }: { readonly kind: string; readonly task: string | null },
  tasks: ReadonlyMap<string, { readonly brief: string | null }>,
): boolean {
  return kind === 'progress' && task !== null && (tasks.get(task)?.brief ?? null) === null;
}

export function isLiveBrief(brief: Brief | undefined): brief is LiveBrief {
  return brief !== undefined && brief.status.kind !== 'ended';
}

/** One word for where a brief is, or how it ended. */
export function briefWord({ status }: Pick<Brief, 'status'>): string {
  switch (status.kind) {
    case 'ended':
      return status.status;
    case 'running':
      return status.step;
    case 'sent':
    case 'cancelling':
      return status.kind;
  }
}

/** Whether a result that comes now for a brief that was lost could be adopted, as far as nobody has begun anew. */
export function mayBeAdopted(
  { tasks }: { readonly tasks: ReadonlyMap<string, { readonly attempts: number }> },
  { sent, status, adopted }: Pick<Brief, 'sent' | 'status' | 'adopted'>,
  result: FactOf<'brief.ended'>['status'],
): boolean {
  const lost = status.kind === 'ended' && status.status === 'lost' && !adopted;
  return lost && result === 'completed' && tasks.get(sent.task)?.attempts === sent.attempt;
}

/** Those that have not ended, in the order in which they were sent. */
export function liveBriefs({ briefs }: { readonly briefs: ReadonlyMap<string, Brief> }): LiveBrief[] {
  return [...briefs.values()].filter(isLiveBrief);
}
