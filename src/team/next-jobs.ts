/** The one question that joins the end of the wheel to its start: given the state, which turns should exist? */

import { liveBriefs } from './brief.js';
import { dueMembers } from './due.js';
import { overLimit } from './ledger.js';
import type { TeamState } from './state.js';
import { waitingMembers } from './waits.js';
import { type Place, placeOf } from './workspace.js';

/** A turn that should exist: a hint with ids only; `turn.start` decides again (spec/engine.md §2). */
export interface TurnJob {
  readonly member: string;
  readonly cause: number;
  /** Where it is to be served, when several machines serve the team (`workspace.ts`). */
  readonly place: Place;
}

/** How often and after what somebody looks who sweeps for other processes (spec/engine.md §2 "Fences"). */
export interface SweepTimes {
  /** Milliseconds for which the holder of a turn need not be heard of. */
  readonly leaseMs: number;
  /** Milliseconds between two looks at what may have been left behind. */
  readonly everyMs: number;
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
  if (exclusive.length === 0) return placed(state, due);
  const busy = [...state.members.values()].some(
    ({ life, seat }) => life.kind === 'working' && seat.exclusive_workspace,
  );
  const first = exclusive.reduce((one, other) => (other.cause < one.cause ? other : one));
  const waits = (job: Due): boolean =>
    busy ? state.members.get(job.member)?.deferred === job.cause : job !== first;
  return placed(
    state,
    due.filter((job) => !(exclusive.includes(job) && waits(job))),
  );
}

type Due = Omit<TurnJob, 'place'>;

function placed(state: TeamState, due: readonly Due[]): TurnJob[] {
  return due.map((job) => {
    const seat = state.members.get(job.member)?.seat;
    return { ...job, place: seat === undefined ? 'any' : placeOf(state, seat) };
  });
}

function inOrder(state: TeamState, due: readonly Due[]): readonly Due[] {
  const until = new Map(waitingMembers(state).map(({ member, wait }) => [member.name, wait.until]));
  if (until.size === 0) return due;
  const time = ({ member }: Due): number => until.get(member) ?? Number.MAX_SAFE_INTEGER;
  return [...due].sort((one, other) => time(one) - time(other));
}

/**
 * Team time at which somebody should look again although nothing happens: a request expires, a provider may be asked
 * again, the run's time is up. Time that is up already is no reason to look again: the run ends with its last running
 * turn, and a member that may ask has its job.
 * @param now team time in milliseconds
 * @param sweep of whoever looks after the turns of other processes: a turn may have to be taken over once its lease could
 *   be over, and what was lost on its way is to be seen (case F150)
 * @returns milliseconds of team time, or undefined when only events matter
 */
export function nextTimer(state: TeamState, now: number = state.at, sweep?: SweepTimes): number | undefined {
  if (state.run === null || state.phase.kind === 'ended' || state.phase.kind === 'archived') return undefined;
  const deadline = state.run.limits.wall_minutes * 60_000;
  let next = deadline > now ? deadline : Number.POSITIVE_INFINITY;
  for (const request of state.requests.values()) {
    if (request.status.kind === 'open' && request.expiresAt !== null)
      next = Math.min(next, request.expiresAt);
  }
  for (const { wait } of waitingMembers(state)) if (wait.until > now) next = Math.min(next, wait.until);
  if (sweep !== undefined) next = Math.min(next, nextSweep(state, now, sweep));
  return Number.isFinite(next) ? next : undefined;
}

/**
 * A job may be lost on its way, a turn with its process, and what follows from a fact with whoever had to say it. A team
 * that waits for a person, a provider or an engineer has none of these.
 */
function nextSweep(state: TeamState, now: number, { leaseMs, everyMs }: SweepTimes): number {
  const again = now + everyMs;
  const old = [...state.members.values()].flatMap(({ life }) =>
    life.kind === 'working' ? [life.startedAt + leaseMs] : [],
  );
  const moves = old.length === 0 && !waitsForOthers(state, now);
  if (moves || nextJobs(state, now).length > 0) return again;
  return Math.min(...old.map((time) => (time > now ? time : again)));
}

function waitsForOthers(state: TeamState, now: number): boolean {
  if (state.phase.kind !== 'running' || overLimit(state, now) !== undefined) return false;
  const asked = [...state.requests.values()].some(({ status }) => status.kind === 'open');
  return asked || waitingMembers(state).length > 0 || liveBriefs(state).length > 0;
}
