/**
 * A result that came when its brief had been given up as lost (spec/runner.md §3 "Cancel"): lead or operator may adopt it
 * while no newer attempt has started. Then it counts as if it had come in time, and the attempt that had failed for it goes
 * on under its own number; else it stays what it is, evidence.
 *
 *  A1 it is adopted once, and only where everything that a result in time must show holds of it (E2 of `brief-end.ts`);
 *  A2 the books stay closed: all that the brief might have cost was booked when it was lost.
 */

import { waitingOn } from '../board.js';
import { type Brief, briefWord, isLiveBrief, LATE_RESULT } from '../brief.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { message, type Numbering } from '../mail.js';
import { adoptedReport } from '../notices/brief-reports.js';
import { isLive, type Task, type TeamState } from '../state.js';
import { askerName, notLead } from './asker.js';
import { unknownBrief } from './brief.js';
import { believed, deliveredFacts, settleTask } from './brief-end.js';
import { evidence } from './brief-word.js';
import { freed } from './upstream.js';

type AdoptCommand = Extract<Command, { kind: 'brief.adopt' }>;

/** Makes a late result count. Said again for one that is adopted it changes nothing. */
export function adoptBrief(state: TeamState, command: AdoptCommand, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'adopt a late result');
  if (refusal !== undefined) return refusal;
  const { brief: id, text } = command;
  const brief = state.briefs.get(id);
  const task = brief === undefined ? undefined : state.tasks.get(brief.sent.task);
  if (brief === undefined || task === undefined) return unknownBrief(state, id);
  if (brief.adopted && brief.late === text) return accepted();
  const unfit = notAdoptable(state, brief, task) ?? notThis(brief, command);
  if (unfit !== undefined) return unfit;
  const by = askerName(command.by);
  const { fate, facts } = settleTask(state, brief, task, command, 'completed', ids);
  const reopened = task.state.kind === 'failed' ? freed(state, task.id, by) : [];
  const revives = task.state.kind !== 'claimed';
  return accepted(
    ...(brief.late === text ? [] : [evidence(id, LATE_RESULT, `a result: ${command.result.status}`, text)]),
    { type: 'brief.adopted', brief: id, by, result: text, revives },
    ...reopened,
    ...deliveredFacts(brief, command),
    ...facts,
    message(
      ids,
      'report',
      'runtime',
      [brief.sent.member],
      adoptedReport(brief, task, by, fate, command),
      task.id,
    ),
  );
}

/**
 * Why no late result of a brief can be adopted any more, or yet; undefined: one that is good can. Asked before its commits
 * are taken in as well, so that nothing is taken in for nothing.
 */
export function notAdoptable(
  state: TeamState,
  { sent, status, adopted }: Brief,
  task: Task,
): Refusal | undefined {
  const { brief: id, attempt } = sent;
  if (status.kind !== 'ended' || status.status !== 'lost' || adopted) {
    const word = adopted ? 'adopted before' : briefWord({ status });
    return refused('not_lost', `brief ${id} is not lost: ${word}; only what was lost can be adopted`);
  }
  if (task.attempts !== attempt) {
    return refused(
      'newer_attempt',
      `attempt ${task.attempts} of ${task.id} has started since brief ${id} of attempt ${attempt} was lost: its result stays evidence`,
    );
  }
  const newer = task.brief === null ? undefined : state.briefs.get(task.brief);
  if (isLiveBrief(newer)) {
    return refused(
      'offered_again',
      `${task.id} was offered again: brief ${newer.sent.brief} (${briefWord(newer)}) is out; wait for its end, or call it off and wait for that`,
    );
  }
  if (task.delivered?.attempt === attempt) {
    return refused(
      'delivered',
      `attempt ${attempt} of ${task.id} has delivered ${task.delivered.head} already`,
    );
  }
  return notRevivable(state, sent, task);
}

/** Why the attempt cannot go on under its member; undefined: it can. */
function notRevivable(
  state: TeamState,
  { member: name, brief: id }: Brief['sent'],
  task: Task,
): Refusal | undefined {
  const { kind } = task.state;
  if (task.state.kind === 'claimed' && task.state.member === name) return undefined;
  if (kind !== 'failed' && kind !== 'pending')
    return refused(
      'task_moved_on',
      `${task.id} is ${kind}: a result of brief ${id} changes nothing of it any more`,
    );
  const member = state.members.get(name);
  if (member === undefined || !isLive(member) || member.stopping !== null) {
    return refused(
      'member_gone',
      `the attempt is ${name}'s, and ${name} takes no turns; start it again with team_spawn, then adopt the result`,
    );
  }
  const waiting = waitingOn(state, task);
  if (waiting.length === 0) return undefined;
  return refused('waiting', `${task.id} waits on ${waiting.join(', ')}; adopt the result when they are done`);
}

/** Why what the result says does not count as completed; undefined: it does. */
function notThis(brief: Brief, command: AdoptCommand): Refusal | undefined {
  const { brief: id } = brief.sent;
  const { status, cause, detail } = believed(brief, command);
  if (status === 'completed') return undefined;
  const why = [cause === null ? '' : ` (${cause})`, detail === null ? '' : `: ${detail}`].join('');
  return refused(
    'not_completed',
    `the late result of brief ${id} does not count as completed, but ${status}${why}`,
  );
}
