/** The one place where the readonly state is opened for writing. Imported by the files of `evolve` only. */

import { BugError } from '../../shared/errors.js';
import type { Brief } from '../brief.js';
import type { OpenBudget } from '../ledger.js';
import type { Applied, Member, Message, Request, Task, TeamState } from '../state.js';
import { copyMember, copyTask } from './copies.js';

/** The state as `evolve` sees it: the same object, its top fields and maps writable. */
export type WritableState = {
  -readonly [Key in Exclude<keyof TeamState, 'appliedInTurns' | 'budget'>]: TeamState[Key];
} & {
  budget: OpenBudget;
  members: Map<string, Member>;
  tasks: Map<string, Task>;
  pending: Set<string>;
  messages: Map<string, Message>;
  requests: Map<string, Request>;
  briefs: Map<string, Brief>;
  limitsMet: Map<string, number>;
  applied: Map<string, Applied>;
  appliedInTurns: Map<string, Map<string, Applied>>;
};

/** The same object, writable. */
export function writable(state: TeamState): WritableState {
  return state as WritableState;
}

/** A member that a fact names; a fact about an unknown member is a bug of `decide`. */
export function memberOf(state: TeamState, name: string): Member {
  const member = state.members.get(name);
  if (member === undefined) throw new BugError('unknown-member', `a fact names the unknown member ${name}`);
  return member;
}

/** A task that a fact names. */
export function taskOf(state: TeamState, id: string): Task {
  const task = state.tasks.get(id);
  if (task === undefined) throw new BugError('unknown-task', `a fact names the unknown task ${id}`);
  return task;
}

/** Replaces some fields of one member. */
export function setMember(state: TeamState, name: string, fields: Partial<Member>): void {
  writable(state).members.set(name, Object.assign(copyMember(memberOf(state, name)), fields));
}

/** Replaces some fields of one task. */
export function setTask(state: TeamState, id: string, fields: Partial<Task>): void {
  const before = taskOf(state, id);
  const draft = writable(state);
  draft.tasks.set(id, Object.assign(copyTask(before), fields));
  const [was, is] = [before.state.kind, (fields.state ?? before.state).kind];
  if (was === is) return;
  if (was === 'pending') draft.pending.delete(id);
  // Back among the others it has its old place; that is rare, and the only time at which all are looked at.
  if (is === 'pending')
    draft.pending = new Set([...draft.tasks.values()].filter(isPending).map((task) => task.id));
}

/** Puts a new task on the board, pending. */
export function addTask(state: TeamState, task: Task): void {
  writable(state).tasks.set(task.id, task);
  writable(state).pending.add(task.id);
}

function isPending(task: Task): boolean {
  return task.state.kind === 'pending';
}
