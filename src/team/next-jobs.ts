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
 * whoever has waited longer for a provider stands before it first. A member with an exclusive workspace waits while
 * another such member works; its job comes once all the same, for `turn.start` to say that it waits.
 * @param now team time in milliseconds
 */
export function nextJobs(state: TeamState, now: number): TurnJob[] {
  if (state.run === null || overLimit(state, now) !== undefined) return [];
  const jobs: TurnJob[] = [];
  const busy = [...state.members.values()].some(
    (member) => member.life.kind === 'working' && member.seat.exclusive_workspace,
  );
  let taken = false;
  for (const due of inOrder(state, dueMembers(state, now))) {
    const member = state.members.get(due.member);
    if (member?.seat.exclusive_workspace === true) {
      if (busy ? member.deferred === due.cause : taken) continue;
      taken = true;
    }
    jobs.push(due);
  }
  return jobs;
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
