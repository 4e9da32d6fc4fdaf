/** What a member is told when a request it waited for has ended: the result of the call that opened it. */

import type { ResultOutcome } from '../../agent/memory.js';
import type { CallOutcome } from '../../agent/run-turn.js';
import { fenced } from '../../shared/fence.js';
import { expiredText } from '../../team/notices/request-notices.js';
import type { Request } from '../../team/show/view.js';

type Result = Extract<CallOutcome, { kind: 'result' }>;

/** A confirmation that was not given; the reason of the lead is another agent's text. */
export function confirmationResult(request: Request): Result {
  const { status } = request;
  if (status.kind !== 'decided') return over(request);
  const text = `denied, not run: ${request.id} was denied by the ${status.by.kind}.`;
  return result(`${text}${saidBy(request, 'reason', status)}`, 'denied');
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
  const said = saidBy(request, 'feedback', status);
  return status.decision === 'approve'
    ? result(`Your plan (${request.id}) is approved by the ${status.by.kind}. Carry it out.${said}`, 'ok')
    : result(
        `Your plan (${request.id}) needs a revision; submit a new version with team_plan_submit.${said}`,
        'ok',
      );
}

/** What the decider has said beside yes or no: plain from an operator, fenced from the lead. */
function saidBy(
  { id }: Request,
  what: string,
  { text, by }: Extract<Request['status'], { kind: 'decided' }>,
): string {
  if (text === null || text === '') return '';
  return by.kind === 'lead' ? `\n${fenced(`${what} ${id} by ${by.name}`, text)}` : `\n${text}`;
}

function over(request: Request): Result {
  // Nobody has said no, and nobody will say yes any more: the member is promised nothing.
  if (request.status.kind === 'expired') {
    const text = `${expiredText(request)}. This is no denial: nobody has decided it. Go on without it, or ask anew.`;
    return result(text, 'expired');
  }
  return result(`${request.id} was withdrawn; nothing was run.`, 'cancelled');
}

function result(text: string, outcome: ResultOutcome): Result {
  return { kind: 'result', text, outcome, endsTurn: false };
}
