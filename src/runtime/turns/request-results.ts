/** What a member is told when a request it waited for has ended: the result of the call that opened it. */

import type { ResultOutcome } from '../../agent/memory.js';
import type { CallOutcome } from '../../agent/run-turn.js';
import { fenced } from '../../shared/fence.js';
import type { Request } from '../../team/view.js';

type Result = Extract<CallOutcome, { kind: 'result' }>;

/** A confirmation that was not given. */
export function confirmationResult(request: Request): Result {
  const { status } = request;
  if (status.kind !== 'decided') return over(request);
  const reason = status.text === null ? '' : `\n${status.text}`;
  return result(`denied, not run: ${request.id} was denied by the ${status.by.kind}.${reason}`, 'denied');
}

/** The operator's answer to a question. */
export function questionResult(request: Request): Result {
  const { status } = request;
  if (status.kind !== 'decided') return over(request);
  if (status.decision === 'skip') return result('skipped: decide yourself and state the assumption', 'ok');
  return result(`The operator answers ${request.id}:\n${status.text ?? ''}`, 'ok');
}

/** The decision on a plan; feedback of the lead is another agent's text. */
export function planResult(request: Request): Result {
  const { status } = request;
  if (status.kind !== 'decided') return over(request);
  const feedback = status.text ?? '';
  const said =
    feedback === ''
      ? ''
      : status.by.kind === 'lead'
        ? `\n${fenced(`feedback ${request.id} by ${status.by.name}`, feedback)}`
        : `\n${feedback}`;
  return status.decision === 'approve'
    ? result(`Your plan (${request.id}) is approved by the ${status.by.kind}. Carry it out.${said}`, 'ok')
    : result(
        `Your plan (${request.id}) needs a revision; submit a new version with team_plan_submit.${said}`,
        'ok',
      );
}

function over(request: Request): Result {
  if (request.status.kind === 'expired') {
    return result(
      `${request.id} has expired without an answer; nothing was run. This is no denial.`,
      'expired',
    );
  }
  return result(`${request.id} was withdrawn; nothing was run.`, 'cancelled');
}

function result(text: string, outcome: ResultOutcome): Result {
  return { kind: 'result', text, outcome, endsTurn: false };
}
