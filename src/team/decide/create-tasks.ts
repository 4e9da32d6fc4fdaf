/** Putting tasks on the board: by the recipe at the start, by the lead or the operator later (spec/team.md §4). */

import type { Fact } from '../../events/event.js';
import type { TaskSpec } from '../../events/facts/frozen.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { boardEdges, findCycle } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import type { Numbering } from '../mail.js';
import { isOnlyJudge } from '../offers.js';
import type { TeamState } from '../state.js';
import { askerName, askingMember, notLead } from './asker.js';
import { refusedByLimit } from './met-limit.js';
import { gateByOwner } from './task-refusals.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Puts tasks on the board, all or none. `blocked_by` may name board ids and keys of the same call. */
export function createTasks(state: TeamState, command: Of<'task.create'>, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'create tasks');
  if (refusal !== undefined) return refusal;
  const limit = state.run?.limits.tasks ?? 0;
  if (state.tasks.size + command.tasks.length > limit) {
    const value = state.tasks.size;
    const text = `the board holds ${value} tasks; the limit is ${limit} (limits.tasks): use the tasks there are`;
    return refusedByLimit(state, ids, { limit: 'tasks', value, member: askingMember(command.by), text });
  }
  const misread = numberedOtherwise(state, command.tasks);
  if (misread !== undefined) return misread;
  const made = taskFacts(state, askerName(command.by), command.tasks, ids);
  return made.kind === 'refused' ? made : accepted(...made.facts);
}

/** A name that is a number is read as a number of the board: it may only be the one that the task gets. */
function numberedOtherwise({ tasks }: TeamState, specs: readonly TaskSpec[]): Refusal | undefined {
  for (const [at, { key }] of specs.entries()) {
    const number = /^#?(\d+)$/.exec(key ?? '')?.[1];
    const id = tasks.size + at + 1;
    if (number === undefined || Number(number) === id) continue;
    return refused(
      'ambiguous_name',
      `the task named ${key} will be #${id}, and #${number} is another: give it a name that is no number`,
    );
  }
  return undefined;
}

/** The facts of new tasks with their dependencies resolved, or the refusal that names the bad edge. */
export function taskFacts(
  state: TeamState,
  by: string,
  specs: readonly TaskSpec[],
  ids: Numbering,
): Decision {
  const named = new Map<string, string>();
  for (const task of state.tasks.values()) if (task.spec.key !== null) named.set(task.spec.key, task.id);
  const numbered = specs.map((spec) => ({ id: ids.task(), spec }));
  for (const { id, spec } of numbered) {
    if (spec.key === null) continue;
    const other = named.get(spec.key);
    if (other !== undefined) {
      return refused('duplicate_name', `${other} is named ${spec.key} already; give ${id} another name`);
    }
    named.set(spec.key, id);
  }
  const known = new Set([...state.tasks.keys(), ...numbered.map((task) => task.id)]);
  const edges = boardEdges(state);
  const facts: Fact[] = [];
  const roles = new Set(state.run?.seats.map((seat) => seat.role) ?? []);
  for (const { id, spec } of numbered) {
    for (const role of spec.role === null ? spec.gates : [spec.role, ...spec.gates]) {
      if (roles.size === 0 || roles.has(role)) continue;
      return refused(
        'unknown_role',
        `${id} names ${role}, which is no role of this team; ${nameRemedy(role, [...roles])}`,
      );
    }
    if (spec.role !== null && isOnlyJudge(state, { spec }, spec.role)) return gateByOwner(id, spec.role);
    const blockedBy = new Set<string>();
    for (const reference of spec.blocked_by) {
      const target = known.has(reference) ? reference : named.get(reference);
      if (target === undefined) {
        return refused(
          'unknown_task',
          `${id} waits on ${reference}, which is no task; ${nameRemedy(reference, [...known, ...named.keys()])}`,
        );
      }
      blockedBy.add(target);
    }
    edges.set(id, blockedBy);
    facts.push({ type: 'task.created', task: id, by, spec: { ...spec, blocked_by: [...blockedBy] } });
  }
  const cycle = findCycle(edges);
  if (cycle !== undefined) return refused('cycle', `these tasks wait on each other: ${cycle.join(' → ')}`);
  return { kind: 'accepted', facts };
}
