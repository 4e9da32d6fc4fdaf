/** What facts about requests and plans do to the state. A request gets at most one decision (invariant 4). */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import type { RequestStatus, TeamState } from '../state.js';
import { closeGate, openGate, reopenReview } from './board.js';
import { memberOf, setMember, writable } from './writable.js';

type RequestFact = FactOf<
  | 'request.opened'
  | 'request.decided'
  | 'permission.granted'
  | 'request.expired'
  | 'request.withdrawn'
  | 'plan.submitted'
  | 'plan.decided'
>;

/** Applies one fact about a request or a plan. */
export function evolveRequest(state: TeamState, fact: RequestFact, number: number): void {
  switch (fact.type) {
    case 'request.opened':
      writable(state).requests.set(fact.request, {
        id: fact.request,
        number,
        kind: fact.kind,
        member: fact.member,
        place: fact.place,
        principals: fact.principals,
        digest: fact.digest,
        tool: fact.tool,
        class: fact.class,
        arguments: fact.arguments,
        summary: fact.summary,
        context: fact.context,
        policy: fact.policy,
        always: fact.always,
        task: fact.task,
        openedAt: state.at,
        expiresAt: fact.expires_ms,
        status: { kind: 'open' },
      });
      if (fact.kind === 'gate' && fact.task !== null) openGate(state, fact.task, fact.request);
      break;
    case 'request.decided':
      setStatus(state, fact.request, {
        kind: 'decided',
        number,
        decision: fact.decision,
        text: fact.text,
        by: fact.by,
        used: false,
      });
      if (fact.decision === 'revise') reopenReview(state, fact.request);
      closeGate(state, fact.request);
      break;
    case 'permission.granted': {
      const { tool, match, by } = fact;
      const rule = {
        tool,
        match,
        decision: 'allow' as const,
        origin: `${by.kind}: always (${fact.request})`,
      };
      setMember(state, fact.member, { granted: [...memberOf(state, fact.member).granted, rule] });
      break;
    }
    case 'request.expired':
      setStatus(state, fact.request, { kind: 'expired', number });
      reopenPlan(state, fact.request);
      break;
    case 'request.withdrawn':
      setStatus(state, fact.request, { kind: 'withdrawn', number, reason: fact.reason });
      closeGate(state, fact.request);
      reopenPlan(state, fact.request);
      break;
    case 'plan.submitted':
      setMember(state, fact.member, {
        plan: {
          kind: 'pending',
          version: fact.version,
          digest: fact.digest,
          text: fact.text,
          request: fact.request,
        },
      });
      break;
    case 'plan.decided':
      setMember(state, fact.member, {
        plan:
          fact.decision === 'approve'
            ? { kind: 'approved', version: fact.version, digest: fact.digest }
            : { kind: 'required', version: fact.version },
      });
      break;
    default:
      assertNever(fact, 'request fact');
  }
}

/** A plan whose request is over without a decision is wanted again. */
function reopenPlan(state: TeamState, id: string): void {
  const request = state.requests.get(id);
  if (request === undefined) return;
  const { plan } = memberOf(state, request.member);
  if (plan.kind !== 'pending' || plan.request !== id) return;
  setMember(state, request.member, { plan: { kind: 'required', version: plan.version } });
}

function setStatus(state: TeamState, id: string, status: RequestStatus): void {
  const request = state.requests.get(id);
  if (request !== undefined) writable(state).requests.set(id, { ...request, status });
}
