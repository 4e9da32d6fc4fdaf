/**
 * The one door for every change: state, command and time in, facts or a refusal out (spec/engine.md §1).
 *
 * Pure: nothing is read, written or remembered here. A command whose id was already applied gives the answer it
 * got then. This file routes; the rules stand in the files of `decide/`, one subject each.
 */

import { assertNever } from '../shared/assert-never.js';
import { appliedOf } from './applied.js';
import type { Command } from './command.js';
import { notAdmitted } from './decide/admission.js';
import { cancelBrief, sendBrief } from './decide/brief.js';
import { adoptBrief } from './decide/brief-adopt.js';
import { endBrief } from './decide/brief-end.js';
import { acceptBrief, loseBrief, progressBrief, unservedBrief, witnessBrief } from './decide/brief-word.js';
import { claimTask } from './decide/claim-task.js';
import { completeTask } from './decide/complete-task.js';
import { createTasks } from './decide/create-tasks.js';
import { blockTask, releaseTask } from './decide/give-back.js';
import { isTaskWrite, refusedWrite } from './decide/held-attempt.js';
import { deferReclaim, loseTurn } from './decide/lost-turn.js';
import { sendMail } from './decide/mail.js';
import { finishRun, spawnMember } from './decide/member.js';
import { metFacts } from './decide/met-limit.js';
import { decideRequest, openRequest } from './decide/request.js';
import { reviewTask } from './decide/review.js';
import { archiveRun, failRun, killRun, resumeRun, startRun, stopRun } from './decide/run.js';
import { stopMember, stoppingTakesNoMore, unheeded, withdrawMember } from './decide/stop.js';
import { sweep } from './decide/sweep.js';
import {
  compactMemory,
  recoverMail,
  reserveBudget,
  settleReply,
  startTool,
  startTurn,
} from './decide/turn.js';
import { endTurn, failTurn } from './decide/turn-end.js';
import { waitTurn } from './decide/turn-wait.js';
import { updateTask } from './decide/update-task.js';
import { bindWorkspace, loseWorkspace } from './decide/workspace.js';
import { accepted, type Decision, type Refusal, refused } from './decision.js';
import { Numbering } from './mail.js';
import { unsignedWord } from './operator-word.js';
import type { Applied, TeamState } from './state.js';

/**
 * Decides one command.
 * @param id the command's id; the same id gives the same answer, and its facts are to be recorded once
 * @param now team time in milliseconds, never before `state.at`
 * @param signer id of the operator's key that signs what comes of it, where the team wants that; null: none does
 */
export function decide(
  state: TeamState,
  id: string,
  command: Command,
  now: number,
  signer: string | null = null,
): Decision {
  const before = appliedOf(state, id);
  if (before !== undefined) return repeated(command, before);
  const unsigned = unsignedWord(state, command, signer);
  if (unsigned !== undefined) return unsigned;
  if (command.kind === 'run.start') return startRun(state, command, new Numbering(state));
  const early = notAdmitted(state, command);
  if (early !== undefined) return early;
  const stale = staleTurn(state, command);
  if (stale !== undefined) return stale;
  const late = stoppingTakesNoMore(state, command);
  if (late !== undefined) return late;
  return route(state, command, now, new Numbering(state));
}

/**
 * The answer to a command that was applied before: the same, a refusal that was kept as evidence included. A tool that
 * was started by a turn that is over may have had its effect and is not started again.
 */
function repeated(command: Command, { facts, refused: told }: Applied): Decision {
  if (told !== null) return refused(told.code, told.message);
  const [fact] = facts;
  if (fact?.type === 'tool.started' && 'turn' in command && command.turn !== fact.turn) {
    return refused(
      'already_started',
      `the call at ${fact.place} was started by turn ${fact.turn}, which is over`,
    );
  }
  return accepted(...facts);
}

/** A write under a turn that is not the member's live one is refused; what it says of a task is kept (invariant 2). */
function staleTurn(state: TeamState, command: Command): Refusal | undefined {
  const fence = fenceOf(command);
  if (fence === undefined) return undefined;
  const { member: name, turn } = fence;
  const life = state.members.get(name)?.life;
  if (life === undefined) return refused('unknown_member', `no member is named ${name}`);
  if (life.kind === 'working' && life.turn === turn) return undefined;
  const now = life.kind === 'working' ? `turn ${life.turn} is running` : `it is ${life.kind}`;
  const text = `turn ${turn} of ${name} is not its live turn: ${now}`;
  return refused('stale_turn', text, isTaskWrite(command) ? [refusedWrite(command, 'stale_turn', text)] : []);
}

/** The turn that a command belongs to; undefined for one that is no member's. */
function fenceOf(command: Command): { readonly member: string; readonly turn: number } | undefined {
  if ('turn' in command) return command;
  if ('by' in command && typeof command.by === 'object' && command.by.kind === 'member') return command.by;
  return undefined;
}

function route(state: TeamState, command: Command, now: number, ids: Numbering): Decision {
  switch (command.kind) {
    case 'run.start':
      return startRun(state, command, ids);
    case 'run.resume':
      return resumeRun(state, command, ids);
    case 'run.stop':
      return stopRun(state, command);
    case 'run.kill':
      return killRun(state, command);
    case 'run.sweep':
      return sweep(state, command, now, ids);
    case 'run.fail':
      return failRun(state, command, now);
    case 'run.archive':
      return archiveRun(state, command);
    case 'turn.start':
      return startTurn(state, command, now, ids);
    case 'turn.end':
      return endTurn(state, command, ids);
    case 'turn.wait':
      return waitTurn(state, command, now, ids);
    case 'turn.fail':
      return failTurn(state, command, ids);
    case 'turn.lose':
      return loseTurn(state, command, now, ids);
    case 'turn.defer_reclaim':
      return deferReclaim(state, command, now);
    case 'workspace.bind':
      return bindWorkspace(state, command);
    case 'workspace.lose':
      return loseWorkspace(state, command, ids);
    case 'budget.reserve':
      return reserveBudget(state, command, now);
    case 'limit.meet':
      return accepted(...metFacts(state, ids, command));
    case 'reply.settle':
      return settleReply(state, command, now);
    case 'memory.compact':
      return compactMemory(command);
    case 'mail.recover':
      return recoverMail(state, command, now);
    case 'tool.start':
      return startTool(state, command);
    case 'task.create':
      return createTasks(state, command, ids);
    case 'task.update':
      return updateTask(state, command, ids);
    case 'task.claim':
      return claimTask(state, command, ids);
    case 'task.release':
      return releaseTask(state, command, ids);
    case 'task.block':
      return blockTask(state, command, ids);
    case 'task.complete':
      return completeTask(state, command, ids);
    case 'task.review':
      return reviewTask(state, command, ids);
    case 'mail.send':
      return sendMail(state, command, ids);
    case 'request.open':
      return openRequest(state, command, now, ids);
    case 'request.decide':
      return decideRequest(state, command, now, ids);
    case 'member.spawn':
      return spawnMember(state, command, ids);
    case 'member.stop':
      return stopMember(state, command, ids);
    case 'member.unheeded':
      return unheeded(state, command, ids);
    case 'member.withdraw':
      return withdrawMember(state, command, now, ids);
    case 'run.finish':
      return finishRun(state, command);
    case 'brief.send':
      return sendBrief(state, command, now, ids);
    case 'brief.accept':
      return acceptBrief(state, command, ids);
    case 'brief.progress':
      return progressBrief(state, command, ids);
    case 'brief.cancel':
      return cancelBrief(state, command);
    case 'brief.end':
      return endBrief(state, command, ids);
    case 'brief.adopt':
      return adoptBrief(state, command, ids);
    case 'brief.lose':
      return loseBrief(state, command, ids);
    case 'brief.unserved':
      return unservedBrief(state, command, ids);
    case 'brief.witness':
      return witnessBrief(command);
    default:
      return assertNever(command, 'command');
  }
}
