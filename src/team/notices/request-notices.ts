/** What the runtime says about requests: to the lead who may decide one, and to whoever comes too late. Pure. */

import type { FactOf } from '../../events/event.js';
import { durationText } from '../../shared/duration.js';
import { fenced } from '../../shared/fence.js';
import type { Member, Request } from '../state.js';
import { quote } from './notices.js';

/** What the lead is told of a request that it may decide: all of it, since it decides only what it has seen. */
export function approvalText(
  id: string,
  member: Pick<Member, 'name' | 'plan'>,
  opened: Pick<FactOf<'request.opened'>, 'digest' | 'tool' | 'class' | 'arguments' | 'context'>,
  plan: string | null,
): string {
  if (plan !== null) {
    return (
      `${member.name} asks you to approve its plan, version ${versionOf(id, member)} (${id}). Decide with team_plan_decide ` +
      `{"member":"${member.name}","plan_digest":"${opened.digest}","decision":"approve" or "revise"}.\n` +
      fenced(`plan ${id} by ${member.name}`, plan)
    );
  }
  const said =
    opened.context === null ? [] : [`It said last:`, quote(`text ${id} by ${member.name}`, opened.context)];
  return [
    `${member.name} wants to call ${opened.tool} (class ${opened.class}) and waits for a word (${id}). It runs once, ` +
      'with exactly these arguments, if you approve it. Decide with team_request_decide ' +
      `{"request":"${id}","digest":"${opened.digest}","decision":"approve" or "deny","reason":"…"}; the operator may ` +
      'decide it as well.',
    fenced(`arguments ${id} by ${member.name}`, opened.arguments),
    ...said,
  ].join('\n');
}

/** The version of the plan of this request, which may be about to be opened. */
function versionOf(id: string, { plan }: Pick<Member, 'plan'>): number {
  if (plan.kind === 'none') return 1;
  return plan.kind === 'pending' && plan.request === id ? plan.version : plan.version + 1;
}

/** When a request expired, in the time of the run: `r3 expired at 5 min 30 s of the run, …`. */
export function expiredText({
  id,
  kind,
  openedAt,
  expiresAt,
}: Pick<Request, 'id' | 'kind' | 'openedAt' | 'expiresAt'>): string {
  const at = expiresAt ?? openedAt;
  return (
    `${id} expired at ${durationText(at)} of the run, ${durationText(at - openedAt)} after it was asked: ` +
    `${LEFT[kind]}, and no answer counts any more`
  );
}

/** How each kind is left by its expiry. */
const LEFT: Readonly<Record<Request['kind'], string>> = {
  confirmation: 'the call was not run and will not be',
  question: 'the question stays unanswered',
  plan: 'the plan is not approved',
  gate: 'the work is neither accepted nor refused',
};
