/** What the lead (and the operator) may do with the board: create tasks and change them (spec/team.md §4). */

import type { Fact } from '../../events/event.js';
import type { TaskSpec } from '../../events/facts/frozen.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { boardEdges, dependents, findCycle } from '../board.js';
import type { Asker, Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering } from '../mail.js';
import { isOnlyJudge } from '../offers.js';
import type { Task, TeamState } from '../state.js';
import { withdrawGate } from './gate.js';
import { refusedByLimit } from './met-limit.js';
import { withdrawFacts } from './request.js';
import { edgeRefusal, taskFailed, unknownTask } from './task.js';
import { endedBadly, upstreamFacts } from './upstream.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** The name that facts carry for who asked. */
export function askerName(by: Asker): string {
  return by.kind === 'member' ? by.member : by.name;
}

/** The member that asks; null: an operator, whose name may be that of a member. */
export function askingMember(by: Asker): string | null {
  return by.kind === 'member' ? by.member : null;
}

/** Refusal unless the asker is the lead or the operator. */
export function notLead(state: TeamState, by: Asker, what: string): Decision | undefined {
  if (by.kind === 'operator' || by.member === state.lead) return undefined;
  return refused('lead_only', `only the lead (${state.lead}) may ${what}; ask it with team_send_message`);
}

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
  const made = taskFacts(state, askerName(command.by), command.tasks, ids);
  return made.kind === 'refused' ? made : accepted(...made.facts);
}

/** The facts of new tasks with their dependencies resolved, or the refusal that names the bad edge. */
export function taskFacts(
  state: TeamState,
  by: string,
  specs: readonly TaskSpec[],
  ids: Numbering,
): Extract<Decision, { kind: 'accepted' | 'refused' }> {
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

/** Changes a task's text, role, edges or fate. What a recipe demands of its own tasks cannot be loosened here. */
export function updateTask(state: TeamState, command: Of<'task.update'>, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'change tasks');
  if (refusal !== undefined) return refusal;
  const task = state.tasks.get(command.task);
  if (task === undefined) return unknownTask(state, command.task);
  const by = askerName(command.by);
  const edges = editedEdges(state, task, command);
  if ('kind' in edges) return edges;
  if (command.role !== null && state.run?.seats.every((seat) => seat.role !== command.role)) {
    return refused(
      'unknown_role',
      `no role ${command.role} in this team; ${nameRemedy(
        command.role,
        state.run.seats.map((seat) => seat.role),
      )}`,
    );
  }
  if (command.role !== null && isOnlyJudge(state, task, command.role))
    return gateByOwner(task.id, command.role);
  const facts: Fact[] = [];
  const edited =
    command.subject !== null ||
    command.description !== null ||
    command.role !== null ||
    command.addBlockedBy.length > 0 ||
    command.removeBlockedBy.length > 0;
  if (edited) {
    facts.push({
      type: 'task.updated',
      task: task.id,
      by,
      subject: command.subject,
      description: command.description,
      role: command.role,
      add_blocked_by: [...command.addBlockedBy],
      remove_blocked_by: [...command.removeBlockedBy],
    });
  }
  for (const blocked of command.addBlocks) {
    facts.push({
      type: 'task.updated',
      task: blocked,
      by,
      subject: null,
      description: null,
      role: null,
      add_blocked_by: [task.id],
      remove_blocked_by: [],
    });
  }
  if (command.status !== null) {
    const upstream = edges.get(task.id) ?? new Set();
    const changed = changeStatus(state, task, upstream, command.status, command, ids);
    if (!Array.isArray(changed)) return changed;
    facts.push(...changed);
  }
  if (facts.length === 0)
    return refused('nothing_to_change', `nothing of ${task.id} was named to be changed`);
  return accepted(...facts);
}

/** A task that is done and judged by the one member of a role could never be completed. */
function gateByOwner(id: string, role: string): Extract<Decision, { kind: 'refused' }> {
  return refused(
    'gate_by_owner',
    `${id} is to be done and judged by ${role}: nobody's verdict on their own work counts; name another role`,
  );
}

function editedEdges(
  state: TeamState,
  task: Task,
  command: Of<'task.update'>,
): Map<string, Set<string>> | Decision {
  const edges = boardEdges(state);
  for (const id of [...command.addBlockedBy, ...command.addBlocks]) {
    const other = state.tasks.get(id);
    if (other === undefined) return unknownTask(state, id);
    const [blocked, blocker] = command.addBlocks.includes(id) ? [other, task] : [task, other];
    const refusal = edgeRefusal(blocked, blocker);
    if (refusal !== undefined) return refusal;
  }
  for (const id of command.removeBlockedBy) {
    if (task.by === 'recipe' && task.spec.blocked_by.includes(id) && command.by.kind === 'member') {
      return refused(
        'recipe_edge',
        `${task.id} waits on ${id} by the recipe and a model cannot loosen that; reopen ${id}, or cancel ${task.id}`,
      );
    }
    edges.get(task.id)?.delete(id);
  }
  for (const id of command.addBlockedBy) edges.get(task.id)?.add(id);
  for (const id of command.addBlocks) edges.get(id)?.add(task.id);
  const cycle = findCycle(edges);
  return cycle === undefined ? edges : refused('cycle', `that would close a cycle: ${cycle.join(' → ')}`);
}

/** @param upstream what the task waits on once the edges of the same command have changed */
function changeStatus(
  state: TeamState,
  task: Task,
  upstream: ReadonlySet<string>,
  status: 'pending' | 'cancelled' | 'failed',
  { by: asker, detail }: Pick<Of<'task.update'>, 'by' | 'detail'>,
  ids: Numbering,
): Fact[] | Decision {
  const by = askerName(asker);
  const { kind } = task.state;
  const owner =
    task.state.kind === 'claimed' || task.state.kind === 'in_review' ? task.state.member : undefined;
  switch (status) {
    case 'pending': {
      if (kind === 'completed')
        return refused('completed', `${task.id} is completed and stays so; create a new task`);
      // A task that everybody has let pass is offered anew when the lead says so.
      if (kind === 'pending' && task.offeredTo.size === 0)
        return refused('nothing_to_change', `${task.id} is pending already and was let pass by nobody`);
      if (owner !== undefined)
        return refused('claimed', `${task.id} is ${kind} by ${owner}; cancel it or stop the member`);
      const bad = [...upstream].filter((id) => {
        const other = state.tasks.get(id);
        return task.spec.upstream !== 'continue_with_missing' && other !== undefined && endedBadly(other);
      });
      if (bad.length > 0) {
        return refused(
          'upstream_failed',
          `${task.id} waits on ${bad.map((id) => `${id} (${state.tasks.get(id)?.state.kind})`).join(', ')}: ` +
            'reopen that, take the dependency away, or cancel this task',
        );
      }
      return [{ type: 'task.reopened', task: task.id, by }, ...freed(state, task.id, by)];
    }
    case 'cancelled':
    case 'failed': {
      if (kind === 'completed' || kind === 'failed' || kind === 'cancelled') {
        return refused('ended', `${task.id} is ${kind} already`);
      }
      const end: Fact[] = [
        ...withdrawGate(task, `${task.id} was ${status}`),
        status === 'failed'
          ? taskFailed(task, by, 'lead', detail)
          : { type: 'task.cancelled', task: task.id, by, detail },
        ...upstreamFacts(state, new Map([[task.id, status]])),
      ];
      if (owner !== undefined && owner !== askingMember(asker)) {
        const member = state.members.get(owner);
        // What it still asks for is about this task when it holds no other.
        if (member?.claims.size === 1) end.push(...withdrawFacts(state, owner, `${task.id} was ${status}`));
        end.push(
          message(
            ids,
            'report',
            'runtime',
            [owner],
            `${by} has ${status} ${task.id}. Stop working on it.`,
            task.id,
          ),
        );
      }
      return end;
    }
  }
}

/** Tasks that were blocked because this one had failed can go on waiting for it. */
function freed(state: TeamState, id: string, by: string): Fact[] {
  return dependents(state, id)
    .filter((task) => task.state.kind === 'blocked' && task.state.reason === 'upstream_failed')
    .map((task) => ({ type: 'task.reopened', task: task.id, by }));
}
