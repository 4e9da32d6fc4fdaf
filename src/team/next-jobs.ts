/** The one question that joins the end of the wheel to its start: given the state, which turns should exist? */

import { dueMembers } from './due.js';
import { overLimit } from './ledger.js';
import type { TeamState } from './state.js';
import { waitingMembers } from './waits.js';

/** A turn that should exist: a hint with ids only; `turn.start` decides again (spec/engine.md §2). */
export interface TurnJob {
  readonly member: string;
  readonly cause: number;
}

/**
 * The turns that should exist now. Those that were divided by a wait go on first, in the order of their times, so that
 * whoever has waited longer for a provider stands before it first. Of members with an exclusive workspace the one that was
 * due first has its turn; the others wait, and have their job once all the same while it works, for `turn.start` to say so.
 * @param now team time in milliseconds
 */
export function nextJobs(state: TeamState, now: number): TurnJob[] {
  if (state.run === null || overLimit(state, now) !== undefined) return [];
  const due = inOrder(state, dueMembers(state, now));
  const exclusive = due.filter(({ member }) => state.members.get(member)?.seat.exclusive_workspace === true);
  if (exclusive.length === 0) return [...due];
  const busy = [...state.members.values()].some(
    ({ life, seat }) => life.kind === 'working' && seat.exclusive_workspace,
  );
  const first = exclusive.reduce((one, other) => (other.cause < one.cause ? other : one));
  const waits = (job: TurnJob): boolean =>
    busy ? state.members.get(job.member)?.deferred === job.cause : job !== first;
  return due.filter((job) => !(exclusive.includes(job) && waits(job)));
}

function inOrder(state: TeamState, due: readonly TurnJob[]): readonly TurnJob[] {
  const until = new Map(waitingMembers(state).map(({ member, wait }) => [member.name, wait.until]));
  if (until.size === 0) return due;
  const time = ({ member }: TurnJob): number => until.get(member) ?? Number.MAX_SAFE_INTEGER;
  return [...due].sort((one, other) => time(one) - time(other));
}

/**
 * Team time at which somebody should look again although nothing happens: a request expires, a provider may be asked
 * again, the run's time is up. Time that is up already is no reason to look again: the run ends with its last running
 * turn, and a member that may ask has its job.
 * @param now team time in milliseconds
 * @returns milliseconds of team time, or undefined when only events matter
 */
export function nextTimer(state: TeamState, now: number = state.at): number | undefined {
  if (state.run === null || state.phase.kind === 'ended' || state.phase.kind === 'archived') return undefined;
  const deadline = state.run.limits.wall_minutes * 60_000;
  let next = deadline > now ? deadline : Number.POSITIVE_INFINITY;
  for (const request of state.requests.values()) {
    if (request.status.kind === 'open' && request.expiresAt !== null)
      next = Math.min(next, request.expiresAt);
  }
  for (const { wait } of waitingMembers(state)) if (wait.until > now) next = Math.min(next, wait.until);
  return Number.isFinite(next) ? next : undefined;
}
