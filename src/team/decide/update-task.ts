/**
 * Changing a task: its text, role, edges or fate, by the lead or the operator (spec/team.md §4). What a recipe demands of
 * its own tasks cannot be loosened by a model; whoever works on a task is told what it has become.
 */

import type { Fact } from '../../events/event.js';
import { boardEdges } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { hasUnreadAbout, message, type Numbering } from '../mail.js';
import { quote, taskText } from '../notices/notices.js';
import { isOnlyJudge } from '../offers.js';
import { isOpen, type Task, type TeamState } from '../state.js';
import { askerName, askingMember, notLead } from './asker.js';
import { cancelWithTask, endsWithBrief } from './brief-leave.js';
import { cycleRefusal, edgeFact, edgeRefusal } from './edges.js';
import { withdrawGate } from './gate.js';
import { withdrawFacts } from './request.js';
import { gateByOwner, unknownRole, unknownTask } from './task-refusals.js';
import { endedBadly, endedByWord, freed, isUpstreamFailed } from './upstream.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Changes a task's text, role, edges or fate. What a recipe demands of its own tasks cannot be loosened here. */
export function updateTask(state: TeamState, command: Of<'task.update'>, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'change tasks');
  if (refusal !== undefined) return refusal;
  const task = state.tasks.get(command.task);
  if (task === undefined) return unknownTask(state, command.task);
  const by = askerName(command.by);
  const edges = editedEdges(state, task, command);
  if ('kind' in edges) return edges;
  const { role } = command;
  if (role !== null) {
    if (state.run?.seats.every((seat) => seat.role !== role)) return unknownRole(role, state);
    if (isOnlyJudge(state, task, role)) return gateByOwner(task.id, role);
  }
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
  for (const blocked of command.addBlocks) facts.push(edgeFact(blocked, by, [task.id]));
  const failed = badUpstream(state, task, edges.get(task.id) ?? new Set());
  if (command.status !== null) {
    const changed = changeStatus(state, task, failed, command.status, command, ids);
    if (!Array.isArray(changed)) return changed;
    facts.push(...changed);
  } else {
    // It was blocked for a task that it waits on no more.
    if (isUpstreamFailed(task) && failed.length === 0)
      facts.push({ type: 'task.reopened', task: task.id, by });
    facts.push(...changeTold(state, task, command, ids));
  }
  if (facts.length === 0)
    return refused('nothing_to_change', `nothing of ${task.id} was named to be changed`);
  return accepted(...facts);
}

/** Who works by the old text of a task, or was offered it so, is told the new one. */
function changeTold(
  state: TeamState,
  task: Task,
  { by, subject, description }: Of<'task.update'>,
  ids: Numbering,
): Fact[] {
  if (subject === null && description === null) return [];
  const name = 'member' in task.state ? task.state.member : task.offer;
  const member = name === null ? undefined : state.members.get(name);
  if (member === undefined || !isOpen(task) || member.name === askingMember(by)) return [];
  // An offer that it has not read is made anew, with the new text.
  if (task.state.kind === 'pending' && hasUnreadAbout(state, member, task.id)) return [];
  const spec = {
    ...task.spec,
    subject: subject ?? task.spec.subject,
    description: description ?? task.spec.description,
  };
  const words = quote(`task ${task.id} as ${askerName(by)} has changed it`, taskText({ spec }));
  return [
    message(
      ids,
      'report',
      'runtime',
      [member.name],
      `${task.id} was changed. It reads now:\n${words}`,
      task.id,
    ),
  ];
}

/** Tasks with a bad end that this one cannot do without. */
function badUpstream(state: TeamState, task: Task, upstream: ReadonlySet<string>): string[] {
  if (task.spec.upstream === 'continue_with_missing') return [];
  return [...upstream].filter((id) => {
    const other = state.tasks.get(id);
    return other !== undefined && endedBadly(other);
  });
}

function editedEdges(
  state: TeamState,
  task: Task,
  command: Of<'task.update'>,
): Map<string, Set<string>> | Refusal {
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
  return cycleRefusal(edges) ?? edges;
}

/** @param failed what keeps the task from being opened, once the edges of the same command have changed */
function changeStatus(
  state: TeamState,
  task: Task,
  failed: readonly string[],
  status: 'pending' | 'cancelled' | 'failed',
  { by: asker, detail }: Pick<Of<'task.update'>, 'by' | 'detail'>,
  ids: Numbering,
): Fact[] | Refusal {
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
      const following = endsWithBrief(state, task);
      if (following !== undefined) return following;
      if (failed.length > 0) {
        return refused(
          'upstream_failed',
          `${task.id} waits on ${failed.map((id) => `${id} (${state.tasks.get(id)?.state.kind})`).join(', ')}: ` +
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
      // The task follows its brief: while that is out, an engineer may still work on it.
      const brief = cancelWithTask(state, task, status, { by, detail });
      if (brief !== undefined) {
        if ('kind' in brief) return brief;
        const alone = owner !== undefined && owner !== askingMember(asker) && holdsAlone(state, owner);
        return [brief, ...(alone ? withdrawFacts(state, owner, `${task.id} is to be ${status}`) : [])];
      }
      const end: Fact[] = [
        ...withdrawGate(task, `${task.id} was ${status}`),
        ...endedByWord(state, task, status, { by, detail }),
      ];
      if (owner !== undefined && owner !== askingMember(asker)) {
        if (holdsAlone(state, owner)) end.push(...withdrawFacts(state, owner, `${task.id} was ${status}`));
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

/** Whether a member holds one task: what it still asks for is about that. */
function holdsAlone({ members }: TeamState, name: string): boolean {
  return members.get(name)?.claims.size === 1;
}
