/**
 * What follows from the end of a turn (spec/team.md §4, §5): idle notices, nudges, attempts without progress,
 * errored members. All of it stands in the same entry as `turn.ended`, so nothing can be lost between them.
 */

import type { Fact } from '../../events/event.js';
import { isOverProgress } from '../brief.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { unanswered } from '../ledger.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { cutOffText, nudgeText, quote } from '../notices/notices.js';
import { isOverOffer, isUnreadOffer } from '../offers.js';
import type { Member, Message, Task, TeamState } from '../state.js';
import type { TurnLimit } from '../turn-marks.js';
import { giveUp, NUDGES, namedIn } from './attempt-end.js';
import { delegatedTasks, givenBack, heldTasks } from './held-tasks.js';
import { withdrawFacts } from './request.js';
import { cutOffFacts } from './review.js';
import { stoppedFacts } from './stop.js';
import { taskFailed, upstreamFacts } from './upstream.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

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
  // What it was offered and has not read yet is no silence of it.
  const offered = [...member.offers].filter((id) => !isUnreadOffer(state, member, id));
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

/** Whether an unread message is of what does not stand any more: an offer (case D96), the progress of a brief. */
function isOver({ messages, tasks }: TeamState, member: Member, id: string): boolean {
  const message = messages.get(id);
  return message !== undefined && (isOverOffer(message, member) || isOverProgress(message, tasks));
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

/** The facts of a member's failure: claim, member and task change in one entry. */
export function memberFailedFacts(
  state: TeamState,
  member: Member,
  code: string,
  error: string,
  ids: Numbering,
): Fact[] {
  const held = heldTasks(state, member);
  const delegated = delegatedTasks(state, member);
  const facts: Fact[] = [
    { type: 'member.failed', member: member.name, code, error },
    ...withdrawFacts(state, member.name, `${member.name} has failed`),
    ...delegated.flatMap((task) => givenBack(state, task, member, error)),
    ...held.map((task) => taskFailed(task, 'runtime', 'member_failed', `${member.name}: ${error}`)),
    ...upstreamFacts(state, new Map(held.map((task) => [task.id, 'failed']))),
  ];
  const named = (what: string, tasks: readonly Task[]): string[] =>
    tasks.length === 0 ? [] : [`${what}: ${tasks.map(({ id }) => id).join(', ')}.`];
  const lost = [...named('Failed with it', held), ...named('Back on the board', delegated)];
  const tasks = lost.length === 0 ? 'It held no task.' : lost.join(' ');
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

function idleNotice(state: TeamState, member: Member, text: string | null, ids: Numbering): Fact[] {
  const lead = state.members.get(state.lead);
  if (member.seat.lead || lead === undefined || lead.life.kind === 'stopped') return [];
  // That it is idle is known already; a text is never left out.
  const isKnown = (): boolean => lead.unread.some((id) => isIdleNotice(state.messages.get(id), member.name));
  if ((text ?? '').trim() === '' && isKnown()) return [];
  return [message(ids, 'idle', member.name, [state.lead], text ?? '')];
}

function isIdleNotice(message: Message | undefined, from: string): boolean {
  return message?.kind === 'idle' && message.from === from;
}
