/** How a team has ended, as the door that ran it is told: from the last fact, or without one. */

import type { FactOf } from '../events/event.js';
import type { EndReason, FailureCause } from '../events/facts/run.js';
import type { Finding } from '../shared/findings.js';
import { exitCode, isReplay, resumeHelps } from '../team/end.js';
import type { TeamState } from '../team/show/view.js';
import { isOpen } from '../team/state.js';

export interface Ended {
  readonly reason: EndReason;
  readonly exit: number;
  readonly cause: FailureCause | null;
  readonly detail: string | null;
  readonly result: string | null;
  readonly openTasks: readonly string[];
  readonly openRequests: readonly string[];
  readonly costUsd: number | null;
  /** The part of it that was booked as reserved, since nobody said what was used. */
  readonly estimatedUsd: number;
  /** A resume would bring it further. */
  readonly resumable: boolean;
  /** False when the end could not be written down (the disk is full). */
  readonly recorded: boolean;
  /**
   * The run is not over: its server had lost of the record, which is whole again as far as that could be. What was lost;
   * null otherwise. Whoever runs the team takes it up again (`seenToItsEnd`).
   */
  readonly loss: readonly Finding[] | null;
}

/** The end that the record of a run holds. */
export function endedBy(fact: FactOf<'run.ended'>, run: Pick<FactOf<'run.started'>, 'seats'>): Ended {
  return {
    reason: fact.reason,
    exit: fact.exit,
    cause: fact.cause,
    detail: fact.detail,
    result: fact.result,
    openTasks: fact.open_tasks,
    openRequests: fact.open_requests,
    costUsd: fact.totals.cost_usd,
    estimatedUsd: fact.totals.estimated_cost_usd,
    resumable: resumeHelps(fact.reason, fact.cause, fact.open_tasks.length) && !isReplay(run),
    recorded: true,
    loss: null,
  };
}

/** The end of a team whose record takes nothing more: what was acknowledged stays, and a resume goes on from there. */
export function unrecordedEnd(state: TeamState, cause: FailureCause, detail: string): Ended {
  return {
    reason: 'failed',
    exit: exitCode('failed'),
    cause,
    detail,
    result: null,
    openTasks: [...state.tasks.values()].filter(isOpen).map((task) => task.id),
    openRequests: [...state.requests.values()]
      .filter((request) => request.status.kind === 'open')
      .map((request) => request.id),
    costUsd: state.budget.costUsd,
    estimatedUsd: state.budget.estimatedUsd,
    resumable: state.run !== null && !isReplay(state.run),
    recorded: false,
    loss: null,
  };
}

/** The end of a process that was told to stop while the server of its record did not answer. */
export function unheardEnd(state: TeamState, cause: FactOf<'run.stopping'>['cause']): Ended {
  const detail =
    'the server does not answer: the stop may not be recorded, and turns that other processes run may go on until their leases end';
  return {
    ...unrecordedEnd(state, 'error', detail),
    reason: 'cancelled',
    cause: null,
    exit: exitCode('cancelled', cause),
  };
}
