/** Questions about the board: what waits on what, what is ready, whether an edge would close a cycle. */

import type { Task, TeamState } from './state.js';

/** Dependencies that are not completed, in the order of the board. Derived, so it can never be stale. */
export function waitingOn(state: TeamState, task: Task): string[] {
  return [...task.blockedBy].filter((id) => {
    const upstream = state.tasks.get(id)?.state.kind;
    if (upstream === 'completed') return false;
    const ended = upstream === 'failed' || upstream === 'cancelled' || upstream === undefined;
    return !(ended && task.spec.upstream === 'continue_with_missing');
  });
}

/** Dependencies that have ended without a result, as `#3 (failed)`: what a task goes on without, where it may. */
export function missingResults(state: TeamState, task: Task): string[] {
  return [...task.blockedBy].flatMap((id) => {
    const kind = state.tasks.get(id)?.state.kind;
    return kind === 'failed' || kind === 'cancelled' ? [`${id} (${kind})`] : [];
  });
}

/** Pending with every dependency done, and no engineer at work any more for an attempt that is over. */
export function isReady(state: TeamState, task: Task): boolean {
  return task.state.kind === 'pending' && task.brief === null && waitingOn(state, task).length === 0;
}

/** Number of the fact that made a ready task ready: its own, or the completion of its last dependency. */
export function readySince(state: TeamState, task: Task): number {
  let since = task.state.kind === 'pending' ? task.state.since : 0;
  for (const id of task.blockedBy) {
    const upstream = state.tasks.get(id)?.state;
    if (upstream !== undefined && 'since' in upstream) since = Math.max(since, upstream.since);
  }
  return since;
}

/** Tasks that wait on this one, directly. */
export function dependents(state: TeamState, id: string): Task[] {
  return [...state.tasks.values()].filter((task) => task.blockedBy.has(id));
}

/**
 * The path of the cycle that the edges would close, first node repeated at its end, or undefined.
 * @param edges for each task, what it waits on; must hold the new edges already
 */
export function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path = new Set<string>(); // Keeps the order in which its nodes were entered.
    const walk: { node: string; next: Iterator<string> }[] = [];
    const enter = (node: string): void => {
      path.add(node);
      walk.push({ node, next: (edges.get(node) ?? new Set<string>()).values() });
    };
    if (!done.has(start)) enter(start);
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const step = top.next.next();
      if (step.done === true) {
        done.add(top.node);
        walk.pop();
        path.delete(top.node);
      } else if (path.has(step.value)) {
        const nodes = [...path];
        return [...nodes.slice(nodes.indexOf(step.value)), step.value];
      } else if (!done.has(step.value)) {
        enter(step.value);
      }
    }
  }
  return undefined;
}

/** The edges of the board as it stands. */
export function boardEdges(state: TeamState): Map<string, Set<string>> {
  return new Map([...state.tasks.values()].map((task) => [task.id, new Set(task.blockedBy)]));
}
