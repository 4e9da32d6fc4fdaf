/** The one question that joins the end of the wheel to its start: given the state, which turns should exist? */

import { dueMembers } from './due.js';
import type { TeamState } from './state.js';

/** A turn that should exist: a hint with ids only; `turn.start` decides again (spec/engine.md §2). */
export interface TurnJob {
  readonly member: string;
  readonly cause: number;
}

/**
 * The turns that should exist now. A member with an exclusive workspace waits while another such member works.
 * @param now team time in milliseconds
 */
export function nextJobs(state: TeamState, now: number): TurnJob[] {
  if (state.run === null || overLimit(state, now) !== undefined) return [];
  const jobs: TurnJob[] = [];
  let exclusiveBusy = [...state.members.values()].some(
    (member) => member.life.kind === 'working' && member.seat.exclusive_workspace,
  );
  for (const due of dueMembers(state)) {
    const exclusive = state.members.get(due.member)?.seat.exclusive_workspace === true;
    if (exclusive && exclusiveBusy) continue;
    if (exclusive) exclusiveBusy = true;
    jobs.push(due);
  }
  return jobs;
}

/**
 * Team time at which somebody should look again although nothing happens: a request expires, the run's time is up.
 * Time that is up already is no reason to look again: the run ends with its last running turn.
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
  return Number.isFinite(next) ? next : undefined;
}

/** The limit of the whole run that has been reached, or undefined (spec/team.md §7). */
export function overLimit(
  state: TeamState,
  now: number,
): { readonly limit: string; readonly value: number; readonly ends: 'budget' | 'deadline' } | undefined {
  const limits = state.run?.limits;
  if (limits === undefined) return undefined;
  const tokens = state.budget.inputTokens + state.budget.outputTokens;
  const rows = [
    { limit: 'turns', value: state.budget.turns, bound: limits.turns, ends: 'budget' },
    { limit: 'model_calls', value: state.budget.modelCalls, bound: limits.model_calls, ends: 'budget' },
    { limit: 'tokens', value: tokens, bound: limits.tokens, ends: 'budget' },
    { limit: 'cost_usd', value: state.budget.costUsd ?? 0, bound: limits.cost_usd, ends: 'budget' },
    { limit: 'wall_minutes', value: now / 60_000, bound: limits.wall_minutes, ends: 'deadline' },
  ] as const;
  return rows.find((row) => row.bound !== null && row.value >= row.bound);
}
