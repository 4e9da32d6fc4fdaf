/**
 * The end of a brief by a result: signature, brief and attempt were checked and its commits taken in before it comes here
 * (spec/runner.md §3 "Result", "Report").
 *
 *  E1 first in the log wins: behind the wish to cancel a result is kept and the brief ends `cancelled`;
 *  E2 the team's side believes `completed` no more than it can see: what was to be verified was and passed, the block of
 *     skills is the one that was sent, the commits lie in the workspace, and nothing else of it has changed;
 *  E3 only then the task moves, and only as the board would let its member move it: acceptance and artifacts hold, and so
 *     do gates, whatever the policy is;
 *  E4 a result of a brief that was lost is kept as evidence, and adopted only by a word (`brief-adopt.ts`): the lead is told
 *     that there is one, and nothing that stands in it.
 */

import type { Fact } from '../../events/event.js';
import { type Brief, briefWord, isLiveBrief, LATE_RESULT, mayBeAdopted } from '../brief.js';
import type { CheckedResult, Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import type { Numbering } from '../mail.js';
import {
  type Brought,
  deliveredLines,
  deliveredSummary,
  endReport,
  type Fate,
  lateReport,
} from '../notices/brief-reports.js';
import type { Task, TeamState } from '../state.js';
import { unknownBrief } from './brief.js';
import { endedFact, type How } from './brief-over.js';
import { afterCancel, evidence } from './brief-word.js';
import { handIn } from './hand-in.js';

type EndCommand = Extract<Command, { kind: 'brief.end' }>;

/** Ends a brief by its result. The same result again changes nothing; another one is kept as evidence. */
export function endBrief(state: TeamState, command: EndCommand, ids: Numbering): Decision {
  const { brief: id, text, result, delivery } = command;
  const brief = state.briefs.get(id);
  const word = `a result: ${result.status}`;
  if (brief === undefined) return unknownBrief(state, id, [evidence(id, 'unknown_brief', word, text)]);
  const { status } = brief;
  if (!isLiveBrief(brief)) {
    if (status.kind === 'ended' && status.result === text) return accepted();
    if (brief.late === text) return accepted();
    const late = `brief ${id} has ended: ${briefWord(brief)}; its result is kept and changes nothing`;
    const told = mayBeAdopted(state, brief, result.status) ? lateReport(state, ids, brief) : [];
    return refused('brief_over', late, [evidence(id, LATE_RESULT, word, text), ...told]);
  }
  const task = state.tasks.get(brief.sent.task);
  if (task === undefined) return accepted();
  if (status.kind === 'cancelling') {
    const detail = result.status === 'cancelled' ? result.detail : `${word}, which came too late`;
    const ended = endedFact(brief, { status: 'cancelled', cause: null, detail }, text, result);
    return accepted(ended, ...afterCancel(state, ids, brief, task, ended));
  }
  const how = believed(brief, command);
  const ended = endedFact(brief, how, text, result);
  const brought: Brought = { result, delivery };
  const { fate, facts } = settleTask(state, brief, task, command, how.status, ids);
  const report = endReport(state, ids, brief, task, ended, fate, brought);
  return accepted(...deliveredFacts(brief, command), ended, ...facts, report);
}

/** What the record says of commits that lie in the workspace, and are those of the result. */
export function deliveredFacts(brief: Brief, command: CheckedResult): Fact[] {
  const { delivery } = command;
  if (delivery.kind !== 'delivered' || !isOfResult(brief, command)) return [];
  const { branch, head, commits } = delivery;
  return [{ type: 'brief.delivered', brief: brief.sent.brief, branch, head, commits }];
}

/** E2: how it ended, as the team's side sees it. */
export function believed(brief: Brief, command: CheckedResult): How {
  const { result, delivery } = command;
  const { status, cause, detail } = result;
  if (result.workspace_changes.length > 0 && !brief.written) {
    return failed(
      'escaped',
      'the workspace of the team was changed, and no tool of a member has written there',
    );
  }
  if (status !== 'completed') return { status, cause, detail };
  if (result.sent_block !== brief.sent.sent_block) {
    return failed(
      'block_mismatch',
      `the block of skills was ${result.sent_block}, not ${brief.sent.sent_block}`,
    );
  }
  const unverified = notVerified(brief, command);
  if (unverified !== null) return failed('verify_failed', unverified);
  if (delivery.kind === 'failed')
    return failed('workspace', `its commits were not taken in: ${delivery.detail}`);
  if (!isOfResult(brief, command)) {
    return failed('workspace', 'what lies in the workspace is not what the result names');
  }
  return { status, cause, detail };
}

function failed(cause: NonNullable<How['cause']>, detail: string): How {
  return { status: 'failed', cause, detail };
}

/** Why it does not count as verified; null: it does. A brief that may only read runs no command. */
function notVerified({ sent }: Brief, { result }: CheckedResult): string | null {
  const bad = result.verify.filter(({ outcome }) => outcome !== 'passed');
  if (bad.length > 0) return bad.map(({ key, outcome }) => `${key} ${outcome}`).join(', ');
  if (sent.safety === 'read-only') return null;
  const missing = sent.verify.filter((asked) => !result.verify.some(({ key }) => key === asked));
  return missing.length === 0 ? null : `not run: ${missing.join(', ')}`;
}

/** Whether what was taken in is what the result says was made, on the branch of this attempt. */
function isOfResult({ sent }: Brief, { result, delivery }: CheckedResult): boolean {
  if (delivery.kind !== 'delivered') return result.head === null;
  return delivery.head === result.head && delivery.branch === sent.branch;
}

/** E3: what becomes of the task. */
export function settleTask(
  state: TeamState,
  brief: Brief,
  task: Task,
  command: CheckedResult,
  status: How['status'],
  ids: Numbering,
): { readonly fate: Fate; readonly facts: readonly Fact[] } {
  const { sent } = brief;
  const { result, missingArtifacts } = command;
  const gated = task.spec.gates.length > 0;
  const verified = sent.verify.length > 0 && result.verify.length > 0;
  const atOnce = gated || (verified && state.run?.engineer?.policy === 'complete_on_verified');
  if (status !== 'completed' || !atOnce) return { fate: { kind: 'kept' }, facts: [] };
  if (missingArtifacts.length > 0)
    return { fate: { kind: 'unmerged', missing: missingArtifacts }, facts: [] };
  const text = deliveredLines(sent, command).join('\n');
  const items = task.spec.acceptance.length > 0 ? task.spec.acceptance : ['delivered'];
  const report = {
    member: sent.member,
    attempt: sent.attempt,
    summary: deliveredSummary(brief, result),
    evidence: items.map((item) => ({ item, text })),
    artifacts: [],
    artifactBytes: null,
  };
  return { fate: { kind: gated ? 'submitted' : 'completed' }, facts: handIn(state, ids, task, report) };
}
