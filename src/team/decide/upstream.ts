/**
 * What becomes of tasks that wait on one that has failed or was cancelled (spec/team.md §4): `wait` blocks them with
 * the reason `upstream_failed`, `fail` fails them too, `continue_with_missing` lets them go on.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { dependents } from '../board.js';
import type { Task, TeamState } from '../state.js';

/**
 * The facts of every pending task that waits on a task that has ended badly, and of those that wait on them in turn.
 * A task that comes back to the board later (released, reopened, given a new edge) is found by the next call.
 * @param ending tasks that end badly by other facts of the same decision, with `failed` or `cancelled`
 */
export function upstreamFacts(state: TeamState, ending: ReadonlyMap<string, string> = new Map()): Fact[] {
  const ended = new Map(ending);
  for (const task of state.tasks.values()) if (endedBadly(task)) ended.set(task.id, task.state.kind);
  const facts: Fact[] = [];
  if (ended.size === 0) return facts;
  const settled = new Set(ending.keys());
  for (let more = true; more; ) {
    more = false;
    for (const task of state.tasks.values()) {
      if (task.state.kind !== 'pending' || settled.has(task.id)) continue;
      if (task.brief !== null) continue; // It comes to no end before its brief has: the next look finds it.
      if (task.spec.upstream === 'continue_with_missing') continue;
      const upstream = [...task.blockedBy].find((id) => ended.has(id));
      if (upstream === undefined) continue;
      settled.add(task.id);
      const detail = `${upstream} ${ended.get(upstream) === 'cancelled' ? 'was cancelled' : 'has failed'}`;
      if (task.spec.upstream === 'fail') {
        facts.push(failed(task.id, detail));
        ended.set(task.id, 'failed');
        more = true;
      } else {
        facts.push(blocked(task.id, upstream, detail));
      }
    }
  }
  return facts;
}

/** The fact of one failure; what waited on the task follows by `upstreamFacts`. */
export function taskFailed(
  task: Task,
  by: string,
  cause: FactOf<'task.failed'>['cause'],
  detail: string,
): FactOf<'task.failed'> {
  const held = task.state.kind === 'claimed' || task.state.kind === 'in_review';
  return { type: 'task.failed', task: task.id, by, attempt: held ? task.attempts : null, cause, detail };
}

/** The facts of a task that lead or operator end without a result, and of what waits on it. */
export function endedByWord(
  state: TeamState,
  task: Task,
  status: 'cancelled' | 'failed',
  { by, detail }: { readonly by: string; readonly detail: string },
): Fact[] {
  return [
    status === 'failed'
      ? taskFailed(task, by, 'lead', detail)
      : { type: 'task.cancelled', task: task.id, by, detail },
    ...upstreamFacts(state, new Map([[task.id, status]])),
  ];
}

/** Tasks that were blocked because this one had failed can go on waiting for it. */
export function freed(state: TeamState, id: string, by: string): Fact[] {
  return dependents(state, id)
    .filter(isUpstreamFailed)
    .map((task) => ({ type: 'task.reopened', task: task.id, by }));
}

/** Whether a task is blocked since one that it waits on has ended badly. */
export function isUpstreamFailed({ state }: Task): boolean {
  return state.kind === 'blocked' && state.reason === 'upstream_failed';
}

/** Whether a task has ended without a result. */
export function endedBadly(task: Task): boolean {
  return task.state.kind === 'failed' || task.state.kind === 'cancelled';
}

function failed(task: string, detail: string): Fact {
  return { type: 'task.failed', task, by: 'runtime', attempt: null, cause: 'upstream_failed', detail };
}

function blocked(task: string, on: string, detail: string): Fact {
  return {
    type: 'task.blocked',
    task,
    by: 'runtime',
    attempt: null,
    reason: 'upstream_failed',
    on: [on],
    detail,
  };
}
