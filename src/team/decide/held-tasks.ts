/** The tasks of a member: those it works on itself, and those that an engineer works on for it. */

import type { Fact } from '../../events/event.js';
import type { Member, Task, TeamState } from '../state.js';
import { leaveBrief } from './brief-leave.js';

/** Tasks whose attempt is this member's and still wants something of it; one in review or at an engineer does not. */
export function heldTasks(state: TeamState, member: Member): Task[] {
  return claimedTasks(state, member).filter((task) => task.brief === null);
}

/** Tasks of this member that an engineer works on. */
export function delegatedTasks(state: TeamState, member: Member): Task[] {
  return claimedTasks(state, member).filter((task) => task.brief !== null);
}

/** A task that an engineer works on does not fail with the member that has delegated it: it is offered to another. */
export function givenBack(state: TeamState, task: Task, { name }: Member, error: string): Fact[] {
  const { id, attempts } = task;
  return [
    {
      type: 'task.released',
      task: id,
      member: name,
      attempt: attempts,
      reason: 'member_failed',
      detail: error,
    },
    ...leaveBrief(state, task, 'runtime', `${name} has failed`),
  ];
}

function claimedTasks(state: TeamState, member: Member): Task[] {
  return [...member.claims]
    .map((id) => state.tasks.get(id))
    .filter((task): task is Task => task?.state.kind === 'claimed');
}
