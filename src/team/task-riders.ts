/**
 * What rides with a task to a member: the rules and skills that its recipe names for it (spec/skills.md §6). Decided
 * when the run started and frozen in the task; here is only when it is told.
 *
 * Always true: a member is told once a task, with the first message that names the task to it as one to be done,
 * however often that is offered again.
 */

import type { TaskEntries } from '../events/facts/frozen.js';
import type { Member, Message, Task } from './state.js';

/** What a member is told with a task; undefined: nothing. */
export function riderOf({ spec }: Task, member: string): TaskEntries | undefined {
  return spec.skills.find(({ members }) => members.includes(member));
}

/** Whether a message is one that a rider rides with. */
export function carriesRider({ kind, task }: Pick<Message, 'kind' | 'task'>): boolean {
  return task !== null && (kind === 'offer' || kind === 'entries');
}

/** The messages about a task that a rider could have ridden with to a member, oldest first: their ids. */
export function ridden(task: string, { riders }: Pick<Member, 'riders'>): readonly string[] {
  return riders.get(task) ?? [];
}
