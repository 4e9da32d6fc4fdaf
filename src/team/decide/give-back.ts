/**
 * A member parts from a task that it has not done: it gives it back, or says by a typed reason why it cannot go on
 * (spec/team.md §4). Either way the attempt ends and the lead is told.
 */

import type { Fact } from '../../events/event.js';
import { boardEdges } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { type Numbering, reportToLead } from '../mail.js';
import { quote } from '../notices/notices.js';
import { isOpen, type TeamState } from '../state.js';
import { leaveBrief } from './brief-leave.js';
import { cycleRefusal, edgeFact } from './edges.js';
import { heldAttempt } from './held-attempt.js';
import { unknownTask } from './task-refusals.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Gives a task back undone. */
export function releaseTask(state: TeamState, command: Of<'task.release'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  return accepted(
    {
      type: 'task.released',
      task: held.task.id,
      member: command.member,
      attempt: held.attempt,
      reason: 'released',
      detail: command.detail,
    },
    ...leaveBrief(state, held.task, command.member, 'its task was released'),
    ...reportToLead(
      state,
      ids,
      command.member,
      `${command.member} has released ${held.task.id}.\n${quote(`reason by ${command.member}`, command.detail)}`,
      held.task.id,
    ),
  );
}

/** Says that a task cannot go on, with a typed reason; the attempt ends and the lead is told. */
export function blockTask(state: TeamState, command: Of<'task.block'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  const edges = boardEdges(state);
  for (const on of command.on) {
    const other = state.tasks.get(on);
    if (other === undefined) return unknownTask(state, on);
    if (!isOpen(other)) {
      return refused(
        'ended',
        `${on} is ${other.state.kind}: waiting on it changes nothing; go on, or block without it and say what is missing`,
      );
    }
    edges.get(held.task.id)?.add(on);
  }
  const cycle = cycleRefusal(edges);
  if (cycle !== undefined) return cycle;
  const facts: Fact[] = [];
  const offeredAgain = command.reason === 'transient' && held.task.transients === 0;
  if (command.on.length > 0) {
    // Waiting on a task is an edge, so its completion makes this one ready again (no prose that nobody reads).
    facts.push(
      {
        type: 'task.released',
        task: held.task.id,
        member: command.member,
        attempt: held.attempt,
        reason: 'released',
        detail: `waits on ${command.on.join(', ')}`,
      },
      edgeFact(held.task.id, command.member, command.on),
    );
  } else {
    facts.push({
      type: 'task.blocked',
      task: held.task.id,
      by: command.member,
      attempt: held.attempt,
      reason: command.reason,
      on: [],
      detail: command.detail,
    });
    // What passes by itself is tried once more by whoever is free; the second time the lead has to look.
    if (offeredAgain) facts.push({ type: 'task.reopened', task: held.task.id, by: 'runtime' });
  }
  facts.push(...leaveBrief(state, held.task, command.member, 'its task was blocked'));
  const next = command.on.length === 0 && offeredAgain ? ' It is offered once more.' : '';
  const on = command.on.length === 0 ? '' : ` on ${command.on.join(', ')}`;
  facts.push(
    ...reportToLead(
      state,
      ids,
      command.member,
      `${command.member} has blocked ${held.task.id} (${command.reason}${on}).${next}\n` +
        quote(`reason by ${command.member}`, command.detail),
      held.task.id,
    ),
  );
  return accepted(...facts);
}
