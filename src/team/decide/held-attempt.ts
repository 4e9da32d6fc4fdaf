/**
 * The fence of a task's attempts: a write under an older one is refused and kept as evidence (invariant 2).
 */

import type { FactOf } from '../../events/event.js';
import type { Command } from '../command.js';
import { type Refusal, refused } from '../decision.js';
import type { Task, TeamState } from '../state.js';
import { unknownTask } from './task-refusals.js';

/** What a member writes about the task it holds, or held. */
export type TaskWrite = Extract<Command, { kind: 'task.release' | 'task.block' | 'task.complete' }>;

/** The task, when the member holds exactly this attempt of it; else the refusal, kept as evidence when stale. */
export function heldAttempt(
  state: TeamState,
  command: TaskWrite,
): { readonly task: Task; readonly attempt: number } | Refusal {
  const task = state.tasks.get(command.task);
  if (task === undefined) return unknownTask(state, command.task);
  const { attempt, member } = command;
  const live = task.state.kind === 'claimed' || task.state.kind === 'in_review' ? task.state : undefined;
  if (live?.member === member && live.attempt === attempt) {
    if (live.kind === 'claimed') return { task, attempt };
    const gates = task.spec.gates.join(', ');
    return refused('in_review', `${task.id} is handed in and in review by ${gates}; wait for the verdict`);
  }
  const now =
    live === undefined ? task.state.kind : `${live.kind} by ${live.member}, attempt ${live.attempt}`;
  if (attempt < 1 || attempt > task.attempts || attempt === live?.attempt) {
    const remedy = 'claim it with team_task_claim first';
    return refused('not_claimed', `you do not hold ${task.id}: it is ${now}; ${remedy}`);
  }
  const text = `attempt ${attempt} of ${task.id} is over: it is ${now}; nothing was changed`;
  return refused('stale_attempt', text, [refusedWrite(command, 'stale_attempt', text)]);
}

/** Whether a command writes about a task under an attempt. */
export function isTaskWrite(command: Command): command is TaskWrite {
  return command.kind === 'task.release' || command.kind === 'task.block' || command.kind === 'task.complete';
}

/** The evidence of a write that came too late: who wanted to report what, and what it was told. */
export function refusedWrite(command: TaskWrite, code: string, detail: string): FactOf<'write.refused'> {
  const { task, member, attempt } = command;
  const summary = command.kind === 'task.complete' ? command.summary : command.detail;
  return { type: 'write.refused', task, member, attempt, code, detail, summary };
}
