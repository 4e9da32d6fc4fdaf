/** Taking a task: exactly one of any number of claimants has it, by the fence of a new attempt (spec/team.md §4). */

import type { Fact } from '../../events/event.js';
import { isReady, waitingOn } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering } from '../mail.js';
import { fits, isOnlyJudge } from '../offers.js';
import type { Member, Task, TeamState } from '../state.js';
import { ridden, riderOf } from '../task-riders.js';
import { unknownTask } from './task-refusals.js';

/** Takes a ready task: exactly one of any number of claimants wins. */
export function claimTask(
  state: TeamState,
  command: Extract<Command, { kind: 'task.claim' }>,
  ids: Numbering,
): Decision {
  const task = state.tasks.get(command.task);
  const member = state.members.get(command.member);
  if (task === undefined || member === undefined) return unknownTask(state, command.task);
  if (task.state.kind === 'claimed' || task.state.kind === 'in_review') {
    const mine = task.state.member === command.member;
    const holder = mine ? `${task.state.member} (you)` : task.state.member;
    const remedy = mine ? 'go on with it' : 'take another task';
    return refused(
      'already_claimed',
      `${task.id} is claimed by ${holder}, attempt ${task.state.attempt}; ${remedy}`,
    );
  }
  if (task.state.kind !== 'pending')
    return refused('not_claimable', `${task.id} is ${task.state.kind}, not pending; the lead may reopen it`);
  const { role } = member.seat;
  if (isOnlyJudge(state, task, role)) {
    return refused(
      'gate_by_owner',
      `${task.id} is judged by ${role}, and you are the only one: nobody's verdict on their own work counts; take another task`,
    );
  }
  if (!fits(state, task, member)) {
    return refused(
      'wrong_role',
      `${task.id} is for role ${task.spec.role ?? 'any'}; you are ${role}: take another task`,
    );
  }
  if (!isReady(state, task)) return refused('waiting', notReady(state, task));
  return accepted(
    { type: 'task.claimed', task: task.id, member: command.member, attempt: task.attempts + 1 },
    ...entriesWithClaim(task, member, ids),
  );
}

function notReady(state: TeamState, task: Task): string {
  if (task.brief !== null)
    return `${task.id} waits for the end of brief ${task.brief} of its last attempt; it is offered when that has ended`;
  return `${task.id} waits on ${waitingOn(state, task).join(', ')}; it is offered when they are done`;
}

/** Whoever takes a task without having read an offer of it is told what comes with it all the same. */
function entriesWithClaim(task: Task, member: Member, ids: Numbering): Fact[] {
  const read = ridden(task.id, member).some((id) => !member.unread.includes(id));
  if (read || riderOf(task, member.name) === undefined) return [];
  const text = `With ${task.id}, which you have claimed, come:`;
  return [message(ids, 'entries', 'runtime', [member.name], text, task.id)];
}
