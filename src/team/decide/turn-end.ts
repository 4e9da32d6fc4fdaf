/**
 * What follows from the end of a turn (spec/team.md §4, §5): idle notices, nudges, attempts without progress,
 * errored members. All of it stands in the same entry as `turn.ended`, so nothing can be lost between them.
 */

import type { Fact } from '../../events/event.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { unanswered } from '../ledger.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { cutOffText, nudgeText, quote } from '../notices/notices.js';
import { isOverOffer, possibleTakers } from '../offers.js';
import { isOpen, type Member, type Message, type Task, type TeamState } from '../state.js';
import type { TurnLimit } from '../turn-marks.js';
import { withdrawFacts } from './request.js';
import { cutOffFacts } from './review.js';
import { stoppedFacts } from './stop.js';
import { taskFailed, upstreamFacts } from './upstream.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Reminders before an attempt without progress ends. */
const NUDGES = 2;

/** Attempts that may end without progress or in a crash before the task itself has failed. */
const FAILED_ATTEMPTS = 2;

/** Turns that may be lost with their process, one after the other, before the attempt counts as crashed. */
export const LOST_TURNS = 3;

/** Error code of a member whose role allows no more turns; it cannot be put back to work. */
export const MAX_TURNS = 'max-turns';

/** Ends a turn that came to its own end, was parked, was called off or ran into its limit. */
export function endTurn(state: TeamState, command: Of<'turn.end'>, ids: Numbering): Decision {
  const member = state.members.get(command.member);
  if (member === undefined) return accepted();
  if (command.outcome === 'parked') {
    const request = command.request === null ? undefined : state.requests.get(command.request);
    if (request?.member !== member.name) {
      return refused(
        'unknown_request',
        `${member.name} cannot wait for ${command.request}: it is no request of it`,
      );
    }
  }
  const held = heldTasks(state, member);
  const offered = [...member.offers];
  const { beforeWait } = member;
  const calls = beforeWait.calls + command.calls;
  const text = command.text ?? beforeWait.text;
  const progress = calls > 0 || (text ?? '').trim() !== '';
  const used: Fact[] = unanswered(member);
  const idleHands = command.outcome === 'finished' && (!progress || held.length > 0 || offered.length > 0);
  const noProgress = idleHands && (!progress || (calls === 0 && held.length + offered.length > 0));
  const ended: Fact = {
    type: 'turn.ended',
    turn: command.turn,
    member: member.name,
    outcome: noProgress ? 'no_progress' : command.outcome,
    request: command.outcome === 'parked' ? command.request : null,
    wait: null,
    upto: command.upto,
    text,
    calls: command.calls,
    detail: command.detail,
    truncated: command.limit !== undefined,
  };
  if (member.stopping !== null) {
    return accepted(...used, ended, ...stoppedFacts(state, member, member.stopping, ids));
  }
  if (command.limit !== undefined && state.phase.kind !== 'finishing') {
    const rest = cutOff(state, member, { limit: command.limit, text, held, offered, calls }, ids);
    return accepted(...used, ended, ...rest, ...cutOffFacts(state, member, ids));
  }
  // Behind a whole turn nothing is left that was put in and not answered: what is unread still was never seen.
  const over = member.unread.filter((id) => isOver(state, member, id));
  const whole = command.outcome === 'finished' || command.outcome === 'parked';
  if (whole && over.length > 0) used.push({ type: 'mail.expired', member: member.name, ids: over });
  // A run that is being stopped goes on later: what a finished turn leaves behind is said now or never.
  if (command.outcome !== 'finished' || state.phase.kind === 'finishing') return accepted(...used, ended);
  const reviews = command.cut ? cutOffFacts(state, member, ids) : [];
  if (idleHands && member.nudges < NUDGES) {
    const named = namedIn(state, text, held);
    const nudge = nudgeFacts(member, held, offered, ids, (tasks, count) =>
      nudgeText(tasks, offered, count, named),
    );
    return accepted(...used, ended, ...reviews, ...nudge);
  }
  const given = idleHands ? giveUp(state, member, { held, offered, text }, ids) : [];
  return accepted(...used, ended, ...reviews, ...given, ...idleNotice(state, member, text, ids));
}

/** Whether an unread message is an offer that does not stand any more (case D96). */
function isOver({ messages }: TeamState, member: Member, id: string): boolean {
  const message = messages.get(id);
  return message !== undefined && isOverOffer(message, member);
}

interface CutOff {
  readonly limit: TurnLimit;
  readonly text: string | null;
  readonly held: readonly Task[];
  readonly offered: readonly string[];
  /** Of the whole turn. */
  readonly calls: number;
}

/**
 * What follows when a limit of the turn has cut it off: the lead gets the part that there is, and the member goes on, as
 * often in a row as it is reminded. Then its attempts end without progress, so that no chain of such turns has no end.
 */
function cutOff(state: TeamState, member: Member, turn: CutOff, ids: Numbering): Fact[] {
  const { held, offered } = turn;
  const bound = state.run?.limits[turn.limit] ?? 0;
  const facts = limitMet(state, member, turn, bound);
  const left = NUDGES - member.nudges;
  const part =
    turn.text === null || turn.text.trim() === ''
      ? ''
      : `\n${quote(`unfinished text of ${member.name}`, turn.text)}`;
  const next =
    left > 0
      ? 'It goes on in another turn.'
      : 'It has been reminded enough and goes on only when somebody writes to it.';
  facts.push(
    ...reportToLead(
      state,
      ids,
      member.name,
      `The turn of ${member.name} was cut off by limits.${turn.limit} (${bound}) after ${turn.calls} calls; truncated: true. ` +
        `What it has said and done is a part, not its result. ${next}${part}`,
      held[0]?.id ?? null,
    ),
  );
  if (left <= 0) return [...facts, ...giveUp(state, member, turn, ids)];
  const nudge = nudgeFacts(member, held, offered, ids, (tasks, count) =>
    cutOffText(turn.limit, bound, tasks, count),
  );
  return [...facts, ...nudge];
}

/**
 * One more reminder of a member, and the message that says it.
 * @param say the words, from the ids of the tasks that it holds and the number of the reminder
 */
function nudgeFacts(
  member: Member,
  held: readonly Task[],
  offered: readonly string[],
  ids: Numbering,
  say: (tasks: readonly string[], count: number) => string,
): Fact[] {
  const tasks = held.map(({ id }) => id);
  const task = tasks[0] ?? offered[0] ?? null;
  const count = member.nudges + 1;
  return [
    { type: 'member.nudged', member: member.name, task, count },
    message(ids, 'nudge', 'runtime', [member.name], say(tasks, count), task),
  ];
}

function limitMet(state: TeamState, member: Member, { limit, calls }: CutOff, bound: number): Fact[] {
  if (state.limitsMet.has(limit)) return [];
  const value = limit === 'calls_per_turn' ? calls : bound;
  return [{ type: 'limit.reached', limit, value, member: member.name }];
}

/** Ends a turn that cannot go on: the member is errored, its tasks fail, the lead is told (never silence). */
export function failTurn(state: TeamState, command: Of<'turn.fail'>, ids: Numbering): Decision {
  const member = state.members.get(command.member);
  if (member === undefined) return accepted();
  const used = command.perhapsUsed === true ? unanswered(member) : [];
  const ended: Fact = {
    type: 'turn.ended',
    turn: command.turn,
    member: member.name,
    outcome: 'failed',
    request: null,
    wait: null,
    upto: command.upto,
    text: null,
    calls: command.calls,
    detail: command.error,
    truncated: false,
  };
  if (member.stopping !== null) {
    return accepted(...used, ended, ...stoppedFacts(state, member, member.stopping, ids));
  }
  return accepted(...used, ended, ...memberFailedFacts(state, member, command.code, command.error, ids));
}

/** Open tasks that a text names beside those the member holds: what it seems to wait for. */
function namedIn(state: TeamState, text: string | null, held: readonly Task[]): string[] {
  const named = new Set((text ?? '').match(/#\d+\b/g) ?? []);
  return [...named].filter((id) => {
    const task = state.tasks.get(id);
    return task !== undefined && isOpen(task) && !held.includes(task);
  });
}

/** The facts of a member's failure: claim, member and task change in one entry. */
export function memberFailedFacts(
  state: TeamState,
  member: Member,
  code: string,
  error: string,
  ids: Numbering,
): Fact[] {
  const held = heldTasks(state, member);
  const facts: Fact[] = [
    { type: 'member.failed', member: member.name, code, error },
    ...withdrawFacts(state, member.name, `${member.name} has failed`),
    ...held.map((task) => taskFailed(task, 'runtime', 'member_failed', `${member.name}: ${error}`)),
    ...upstreamFacts(state, new Map(held.map((task) => [task.id, 'failed']))),
  ];
  const tasks =
    held.length === 0 ? 'It held no task.' : `Failed with it: ${held.map((task) => task.id).join(', ')}.`;
  facts.push(
    ...reportToLead(
      state,
      ids,
      member.name,
      `${member.name} has failed and takes no more turns. ${tasks} Start it again with team_spawn, or reopen the ` +
        `task for another member with team_task_update.\n${quote(`error of ${member.name}`, error)}`,
      held[0]?.id ?? null,
    ),
  );
  return facts;
}

/** Members whose turns were lost too often: their attempts end as crashed (spec/engine.md §2). */
export function crashedFacts(state: TeamState, member: Member, ids: Numbering): Fact[] {
  const held = heldTasks(state, member);
  if (held.length === 0) {
    return memberFailedFacts(
      state,
      member,
      'crashed',
      `${LOST_TURNS} turns were lost with their process`,
      ids,
    );
  }
  return [
    ...withdrawFacts(state, member.name, `${LOST_TURNS} turns of ${member.name} were lost`),
    ...endAttempts(state, member, held, { reason: 'crashed', text: null }, ids),
  ];
}

/** What a member has done nothing about, and its last words. */
interface GivenUp {
  readonly held: readonly Task[];
  readonly offered: readonly string[];
  readonly text: string | null;
}

function giveUp(state: TeamState, member: Member, { held, offered, text }: GivenUp, ids: Numbering): Fact[] {
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
function endAttempts(
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
    reason === 'crashed' ? `${LOST_TURNS} turns were lost` : `${NUDGES} reminders brought no result`;
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

function idleNotice(state: TeamState, member: Member, text: string | null, ids: Numbering): Fact[] {
  const lead = state.members.get(state.lead);
  if (member.seat.lead || lead === undefined || lead.life.kind === 'stopped') return [];
  // That it is idle is known already; a text is never left out.
  const known = lead.unread.some((id) => isIdleNotice(state.messages.get(id), member.name));
  if (known && (text ?? '').trim() === '') return [];
  return [message(ids, 'idle', member.name, [state.lead], text ?? '')];
}

function isIdleNotice(message: Message | undefined, from: string): boolean {
  return message?.kind === 'idle' && message.from === from;
}

/** Tasks whose attempt is this member's and still wants something of it; one in review does not. */
function heldTasks(state: TeamState, member: Member): Task[] {
  return [...member.claims]
    .map((id) => state.tasks.get(id))
    .filter((task): task is Task => task?.state.kind === 'claimed');
}
