/**
 * How an attempt ends badly: nothing came of it, however often its member was reminded, or its turns were lost (spec/team.md
 * §4, engine.md §2). What was done is kept, the task is offered again or has failed, and the lead is told.
 */

import type { Fact } from '../../events/event.js';
import { type Numbering, reportToLead } from '../mail.js';
import { quote } from '../notices/notices.js';
import { possibleTakers } from '../offers.js';
import { isOpen, type Member, type Task, type TeamState } from '../state.js';
import { taskFailed, upstreamFacts } from './upstream.js';

/** Reminders before an attempt without progress ends. */
export const NUDGES = 2;

/** Attempts that may end without progress or in a crash before the task itself has failed. */
const FAILED_ATTEMPTS = 2;

/** Turns that may be lost with their process, one after the other, before the attempt counts as crashed. */
export function lostTurns({ run }: TeamState): number {
  return run?.limits.lost_turns ?? Number.POSITIVE_INFINITY;
}

/** What a member has done nothing about, and its last words. */
interface GivenUp {
  readonly held: readonly Task[];
  readonly offered: readonly string[];
  readonly text: string | null;
}

/** Ends the attempts of a member that was reminded enough; an offer that nobody is left for ends with them. */
export function giveUp(
  state: TeamState,
  member: Member,
  { held, offered, text }: GivenUp,
  ids: Numbering,
): Fact[] {
  const facts = endAttempts(state, member, held, { reason: 'no_progress', text }, ids);
  for (const id of offered) {
    const task = state.tasks.get(id);
    if (task?.state.kind !== 'pending') continue;
    const others = possibleTakers(state, task).filter((other) => other.name !== member.name);
    if (others.length > 0) continue;
    const detail = `offered to every fitting member, claimed by none; last to ${member.name}`;
    facts.push(
      taskFailed(task, 'runtime', 'no_progress', detail),
      ...upstreamFacts(state, new Map([[id, 'failed']])),
      ...reportToLead(state, ids, member.name, `Task ${id} has failed: ${detail}.`, id),
    );
  }
  return facts;
}

/** Why an attempt ended, and the member's last words where it had some. */
interface BadEnd {
  readonly reason: 'no_progress' | 'crashed';
  readonly text: string | null;
}

/** Ends the attempts at these tasks. A task whose attempts are used up fails with its last one. */
export function endAttempts(
  state: TeamState,
  member: Member,
  tasks: readonly Task[],
  how: BadEnd,
  ids: Numbering,
): Fact[] {
  const over = tasks.filter((task) => task.failedAttempts + 1 >= FAILED_ATTEMPTS);
  return [
    ...tasks.flatMap((task) => endAttempt(state, member, task, how, over.includes(task), ids)),
    ...upstreamFacts(state, new Map(over.map((task) => [task.id, 'failed']))),
  ];
}

function endAttempt(
  state: TeamState,
  member: Member,
  task: Task,
  how: BadEnd,
  over: boolean,
  ids: Numbering,
): Fact[] {
  const { reason, text } = how;
  const attempt = task.attempts;
  const why =
    reason === 'crashed' ? `${lostTurns(state)} turns were lost` : `${NUDGES} reminders brought no result`;
  const released: Fact = {
    type: 'task.released',
    task: task.id,
    member: member.name,
    attempt,
    reason,
    detail: why,
  };
  const fail = over ? [taskFailed(task, 'runtime', reason, why)] : [];
  // What waits on another task by words alone would be tried again in vain: the lead has to say so on the board.
  const named = over ? [] : namedIn(state, text, [task]);
  const back: Fact[] = named.length === 0 ? [] : [waitsInWords(task, member, named)];
  const next = over
    ? 'The task has failed.'
    : named.length === 0
      ? 'It is offered again.'
      : edgeText(task, named);
  const said = (text ?? '').trim() === '' ? '' : `\n${quote(`last words of ${member.name}`, text ?? '')}`;
  return [
    released,
    ...fail,
    ...back,
    ...reportToLead(
      state,
      ids,
      member.name,
      `Attempt ${attempt} of ${task.id} by ${member.name} ended as ${reason}: ${why}. What was done is kept. ${next}${said}`,
      task.id,
    ),
  ];
}

function waitsInWords(task: Task, { name }: Member, named: readonly string[]): Fact {
  const detail = `${name} said that it waits on ${named.join(', ')}, and made no edge`;
  return {
    type: 'task.blocked',
    task: task.id,
    by: 'runtime',
    attempt: null,
    reason: 'needs_input',
    on: [],
    detail,
  };
}

function edgeText(task: Task, named: readonly string[]): string {
  return (
    `It is returned to you: it seems to wait on ${named.join(', ')}. If it does, call team_task_update ` +
    `{"task":"${task.id}","add_blocked_by":${JSON.stringify(named)},"status":"pending"}; else open it as it is (status pending).`
  );
}

/** Open tasks that a text names beside those the member holds: what it seems to wait for. */
export function namedIn(state: TeamState, text: string | null, held: readonly Task[]): string[] {
  const named = new Set((text ?? '').match(/#\d+\b/g) ?? []);
  return [...named].filter((id) => {
    const task = state.tasks.get(id);
    return task !== undefined && isOpen(task) && !held.includes(task);
  });
}
