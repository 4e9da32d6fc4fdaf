/**
 * The operator's word on a review that comes to no end (spec/team.md §4 "After `review_rounds` the operator decides").
 *
 *  G1 the request is opened together with the verdict that used up the rounds, and holds every round with its findings;
 *  G2 while it is open the task stays in review, and neither its owner nor its gates go round with it;
 *  G3 accept completes the task, re-scope gives it back to its owner with the operator's words and counts rounds anew,
 *     abandon fails it; whatever ends the task otherwise withdraws the request;
 *  G4 nobody is parked on it, so it has no time of its own to expire; what it wakes are owner and lead.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { sha256 } from '../../shared/digest.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { completionFacts } from '../notices/task-reports.js';
import { submissionViews } from '../show/status-tasks.js';
import type { Request, Submission, Task, TeamState } from '../state.js';
import { taskFailed, upstreamFacts } from './upstream.js';

/** Longest findings of one verdict in the request, in characters; the whole text stays in the record. */
const FINDINGS = 4000;

/** A verdict that is being given, with who gives it. */
type Verdict = Submission['verdicts'][number];

/** Whether this round is the last that members may go by themselves. */
export function isLastRound(state: TeamState, task: Task): boolean {
  return task.rounds + 1 >= (state.run?.limits.review_rounds ?? Number.POSITIVE_INFINITY);
}

/** The request that asks the operator, for a task whose last round ends with this verdict. */
export function openGateFact(
  state: TeamState,
  task: Task,
  last: Verdict,
  ids: Numbering,
): FactOf<'request.opened'> {
  if (task.state.kind !== 'in_review') throw new Error(`${task.id} is not in review`);
  const { member, attempt, evidenceDigest, summary, evidence, artifacts } = task.state;
  const rounds = roundsOf(task, last);
  const shown = JSON.stringify({ task: task.id, attempt, rounds, summary, evidence, artifacts });
  return {
    type: 'request.opened',
    request: ids.request(),
    kind: 'gate',
    member,
    place: '',
    principals: ['operator'],
    digest: sha256(JSON.stringify(['gate', evidenceDigest, shown])),
    tool: 'team_review',
    class: null,
    arguments: shown,
    summary:
      `${task.id} (${oneLine(task.spec.subject, 80)}): ${last.role} asks for changes after ` +
      `${task.rounds + 1} review rounds`,
    context: oneLine(summary),
    policy: `review rounds are used up (limits.review_rounds = ${state.run?.limits.review_rounds})`,
    always: null,
    task: task.id,
    expires_ms: null,
  };
}

/** Every report with its verdicts, the one that is being given included, and how its artifacts have grown. */
function roundsOf(task: Task, { role, member, verdict, findings }: Verdict): object[] {
  const given = task.submissions.map((submission, place) =>
    place < task.submissions.length - 1
      ? submission
      : { ...submission, verdicts: [...submission.verdicts, { role, member, verdict, findings }] },
  );
  return submissionViews(given).map((view, place) => ({
    ...view,
    verdicts: given[place]?.verdicts.map((one) => ({ ...one, findings: bounded(one.findings) })),
  }));
}

function bounded(text: string): string {
  return text.length <= FINDINGS ? text : `${text.slice(0, FINDINGS)} [cut: ${text.length} characters]`;
}

/** What follows from the operator's decision beside `request.decided`, or the refusal of a decision that cannot hold. */
export function gateFacts(
  state: TeamState,
  request: Request,
  command: Extract<Command, { kind: 'request.decide' }>,
  ids: Numbering,
): Decision {
  const task = request.task === null ? undefined : state.tasks.get(request.task);
  if (task?.state.kind !== 'in_review') {
    return refused(
      'not_in_review',
      `${request.task} is not in review any more; ${request.id} changes nothing`,
    );
  }
  const owner = task.state.member;
  switch (command.decision) {
    case 'approve': {
      const missing = command.missingArtifacts ?? task.state.artifacts;
      if (missing.length > 0) {
        return refused(
          'artifact_missing',
          `${task.id} cannot be accepted: not found in the workspace: ${missing.map((path) => oneLine(path)).join(', ')}; ` +
            're-scope it, or abandon it',
        );
      }
      return accepted(
        ...completionFacts(state, ids, task, task.state),
        ...toOwner(state, ids, task, owner, `The operator has accepted ${task.id} as it is.`),
      );
    }
    case 'revise': {
      const scope = wordsOf(command.text);
      if (scope === undefined) return refused('no_text', `say what ${task.id} is to be now: rescope <text>`);
      const text =
        `The operator has re-scoped ${task.id}; its review rounds are counted anew. Go by this and hand it in again.\n` +
        `The operator's words: ${scope}`;
      return accepted(...toOwner(state, ids, task, owner, text), ...toLead(state, ids, task, owner, text));
    }
    default: {
      const detail = wordsOf(command.text) ?? 'abandoned by the operator after its review rounds';
      const by = command.by.kind === 'operator' ? command.by.name : command.by.member;
      const text = `The operator has abandoned ${task.id}: ${detail}.`;
      return accepted(
        taskFailed(task, by, 'abandoned', detail),
        ...upstreamFacts(state, new Map([[task.id, 'failed']])),
        ...toOwner(state, ids, task, owner, `${text} Stop working on it.`),
        ...toLead(state, ids, task, owner, text),
      );
    }
  }
}

function wordsOf(text: string | null): string | undefined {
  const given = text?.trim() ?? '';
  return given === '' ? undefined : given;
}

/** The owner is woken by the decision; one that has failed reads of it when it is put back to work. */
function toOwner(state: TeamState, ids: Numbering, task: Task, owner: string, text: string): Fact[] {
  const member = state.members.get(owner);
  if (member === undefined || member.life.kind === 'stopped') return [];
  return [message(ids, 'report', 'runtime', [owner], text, task.id)];
}

/** The lead hears of it too, once: not where it owns the task. */
function toLead(state: TeamState, ids: Numbering, task: Task, owner: string, text: string): Fact[] {
  return owner === state.lead ? [] : reportToLead(state, ids, null, text, task.id);
}

/** Takes the question about a task back: it has come to an end, or back to the board, without the operator. */
export function withdrawGate(task: Task, why: string): Fact[] {
  return task.gate === null ? [] : [{ type: 'request.withdrawn', request: task.gate, reason: why }];
}
