/**
 * A brief and the attempt that it belongs to part: what ends the attempt calls the engineer off, and what would end the
 * task waits until that has happened (F1, F2 of `brief.ts`).
 */

import type { FactOf } from '../../events/event.js';
import { briefWord, isLiveBrief, type LiveBrief, liveBriefs } from '../brief.js';
import { type Refusal, refused } from '../decision.js';
import type { Task, TeamState } from '../state.js';

type CancelRequested = FactOf<'brief.cancel_requested'>;

/** Beside the end of an attempt: its engineer is called off, and what it brings counts no more. */
export function leaveBrief(state: TeamState, task: Task, by: string, reason: string): CancelRequested[] {
  const brief = briefOf(state, task);
  if (brief === undefined || brief.status.kind === 'cancelling') return [];
  return [cancelRequested(brief, by, reason)];
}

/** Every engineer is called off; those that were before are not again. */
export function cancelAll(state: TeamState, by: string, reason: string): CancelRequested[] {
  return liveBriefs(state)
    .filter(({ status }) => status.kind !== 'cancelling')
    .map((brief) => cancelRequested(brief, by, reason));
}

/** The engineer of one brief is called off; its task is whatever the board says without it. */
export function cancelRequested({ sent }: LiveBrief, by: string, reason: string): CancelRequested {
  return { type: 'brief.cancel_requested', brief: sent.brief, by, reason, becomes: null, detail: null };
}

/** A task is to end while an engineer works on it: the brief is cancelled and takes the task with it. */
export function cancelWithTask(
  state: TeamState,
  task: Task,
  status: 'cancelled' | 'failed',
  { by, detail }: { readonly by: string; readonly detail: string },
): CancelRequested | Refusal | undefined {
  const brief = briefOf(state, task);
  if (brief === undefined) return undefined;
  const reason = `${task.id} is to be ${status}`;
  return endsWithBrief(state, task) ?? { ...cancelRequested(brief, by, reason), becomes: status, detail };
}

/** The refusal of another fate for a task that ends as soon as its brief has. */
export function endsWithBrief(state: TeamState, task: Task): Refusal | undefined {
  const brief = briefOf(state, task);
  if (brief?.status.kind !== 'cancelling' || brief.status.becomes === null) return undefined;
  const { by, becomes } = brief.status;
  return refused(
    'being_ended',
    `${task.id} becomes ${becomes} by the word of ${by} as soon as brief ${brief.sent.brief} has ended; wait for that`,
  );
}

/** The refusal of what a task with a brief does not admit. */
export function briefIsLive(state: TeamState, task: Task): Refusal | undefined {
  const brief = briefOf(state, task);
  if (brief === undefined) return undefined;
  const { status, sent } = brief;
  const remedy =
    status.kind === 'cancelling'
      ? 'wait for its end, you are told of it'
      : `wait for its end, you are told of it, or call delegate_cancel {"brief":"${sent.brief}"}`;
  return refused(
    'brief_live',
    `an engineer has ${task.id}: brief ${sent.brief} (${briefWord(brief)}); ${remedy}`,
  );
}

function briefOf(state: TeamState, task: Task): LiveBrief | undefined {
  const brief = task.brief === null ? undefined : state.briefs.get(task.brief);
  return isLiveBrief(brief) ? brief : undefined;
}
