/** New dependencies between tasks: the fact that lays them, and the ones that could not hold (spec/team.md §4). */

import type { FactOf } from '../../events/event.js';
import { findCycle } from '../board.js';
import { type Refusal, refused } from '../decision.js';
import type { Task } from '../state.js';

/** A task waits on others from here on. */
export function edgeFact(task: string, by: string, on: readonly string[]): FactOf<'task.updated'> {
  const text = { subject: null, description: null, role: null };
  return { type: 'task.updated', task, by, ...text, add_blocked_by: [...on], remove_blocked_by: [] };
}

/** The refusal of edges that would close a cycle, with its path; the new ones are among them. */
export function cycleRefusal(edges: ReadonlyMap<string, ReadonlySet<string>>): Refusal | undefined {
  const cycle = findCycle(edges);
  return cycle === undefined ? undefined : refused('cycle', `that would close a cycle: ${cycle.join(' → ')}`);
}

/**
 * The refusal of a dependency that could not hold: somebody works on the task already, or it has ended. A task that
 * waits on a completed one waits on nothing, so that edge is always fine.
 */
export function edgeRefusal(blocked: Task, blocker: Task): Refusal | undefined {
  if (blocker.state.kind === 'completed') return undefined;
  switch (blocked.state.kind) {
    case 'claimed':
    case 'in_review':
      return refused(
        'claimed',
        `${blocked.id} is ${blocked.state.kind} by ${blocked.state.member} and cannot wait on ${blocker.id} now; ` +
          `ask ${blocked.state.member} to name it in team_task_block, or cancel ${blocked.id}`,
      );
    case 'completed':
      return refused('completed', `${blocked.id} is completed and waits on nothing; create a new task`);
    default:
      return undefined;
  }
}
