/**
 * Reporting a task done: bound to evidence and artifacts, sent to review where it has gates (spec/team.md §4). Nothing else
 * completes a task: not a message, not the end of a turn.
 */

import type { Fact } from '../../events/event.js';
import { oneLine } from '../../shared/terminal-text.js';
import { boardEdges } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import type { Numbering } from '../mail.js';
import type { Task, TeamState } from '../state.js';
import { briefIsLive } from './brief-leave.js';
import { cycleRefusal, edgeFact, edgeRefusal } from './edges.js';
import { handIn } from './hand-in.js';
import { heldAttempt } from './held-attempt.js';
import { unknownTask } from './task-refusals.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Reports a task done: refused while evidence or artifacts are missing or a brief of it is out, sent to review when it has gates. */
export function completeTask(state: TeamState, command: Of<'task.complete'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  const { task, attempt } = held;
  const unfit =
    briefIsLive(state, task) ?? evidenceMissing(task, command) ?? unfitEdges(state, task, command.addBlocks);
  if (unfit !== undefined) return unfit;
  const facts: Fact[] = command.addBlocks.map((blocked) => edgeFact(blocked, command.member, [task.id]));
  facts.push(...handIn(state, ids, task, { ...command, attempt }));
  return accepted(...facts);
}

function evidenceMissing({ id, spec }: Task, report: Of<'task.complete'>): Refusal | undefined {
  const missing = spec.acceptance.filter(
    (item) => !report.evidence.some((given) => given.item === item && given.text.trim() !== ''),
  );
  if (missing.length === 0 && report.missingArtifacts.length === 0) return undefined;
  const lines = [
    ...missing.map((item) => `no evidence for: ${onOneLine(item)}`),
    ...report.missingArtifacts.map((path) => `artifact not found in the workspace: ${onOneLine(path)}`),
  ];
  return refused('evidence_missing', `${id} cannot be completed yet:\n${lines.join('\n')}`);
}

/** Tasks that are to wait on this one. On one without gates, which is completed at once, anything may. */
function unfitEdges(state: TeamState, task: Task, addBlocks: readonly string[]): Refusal | undefined {
  if (addBlocks.length === 0) return undefined;
  const edges = boardEdges(state);
  for (const id of addBlocks) {
    const blocked = state.tasks.get(id);
    if (blocked === undefined) return unknownTask(state, id);
    if (id === task.id) return refused('cycle', `${task.id} cannot wait on itself: ${task.id} → ${task.id}`);
    const refusal = task.spec.gates.length === 0 ? undefined : edgeRefusal(blocked, task);
    if (refusal !== undefined) return refusal;
    edges.get(id)?.add(task.id);
  }
  return cycleRefusal(edges);
}

/** Whole, and without a line break by which it could pose as something else. */
function onOneLine(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY);
}
