/**
 * Requests: confirmations, questions, plans (spec/team.md §3, §6). Each has an id, the digest of exactly what it is
 * about, and gets one decision by a principal who may give it (invariant 4). Model text is never a decision.
 */

import type { Fact, FactOf } from '../events/event.js';
import type { Decider, RequestKind } from '../events/facts/work.js';
import type { Command } from './command.js';
import { accepted, type Decision, refused } from './decision.js';
import { message, type Numbering } from './mail.js';
import { quote } from './notices.js';
import type { Member, Request, TeamState } from './state.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;
type Verdict = FactOf<'request.decided'>['decision'];

const ALLOWED: Readonly<Record<RequestKind, readonly Verdict[]>> = {
  confirmation: ['approve', 'deny'],
  question: ['answer', 'skip'],
  plan: ['approve', 'revise'],
  gate: ['approve', 'deny'],
};

/** Opens a request for a call that cannot go on without a word; a rule or flag may give the word at once. */
export function openRequest(
  state: TeamState,
  command: Of<'request.open'>,
  now: number,
  ids: Numbering,
): Decision {
  const member = state.members.get(command.member);
  const run = state.run;
  if (member === undefined || run === null)
    return refused('unknown_member', `no member is named ${command.member}`);
  const unfit = unfitOpening(member, command);
  if (unfit !== undefined) return unfit;
  // A new version of a plan takes the place of the one that waits.
  const replaced = command.plan !== null && member.plan.kind === 'pending' ? member.plan.request : undefined;
  const open = openRequests(state, member.name).filter((id) => id !== replaced);
  if (open.length >= run.limits.open_requests) {
    return refused(
      'limit',
      `${member.name} has ${open.length} open requests; the limit is ${run.limits.open_requests} (limits.open_requests): wait for an answer first`,
    );
  }
  const request = ids.request();
  const withdrawn: Fact[] =
    replaced === undefined
      ? []
      : [
          {
            type: 'request.withdrawn',
            request: replaced,
            reason: `${request} has a newer version of the plan`,
          },
        ];
  const facts: Fact[] = [
    ...withdrawn,
    {
      ...command.opened,
      type: 'request.opened',
      request,
      member: member.name,
      principals: principals(member, command.opened.kind),
      expires_ms: run.request_timeout_ms === null ? null : Math.round(now) + run.request_timeout_ms,
    },
  ];
  if (command.plan !== null) {
    const version = member.plan.kind === 'none' ? 1 : member.plan.version + 1;
    facts.push({
      type: 'plan.submitted',
      member: member.name,
      version,
      digest: command.opened.digest,
      text: command.plan,
      request,
    });
    if (principals(member, 'plan').includes('lead'))
      facts.push(planMail(state, ids, member, version, command, request));
  }
  if (command.decided !== null) {
    facts.push({
      type: 'request.decided',
      request,
      decision: command.decided.decision,
      text: null,
      by: command.decided.by,
    });
  }
  return accepted(...facts);
}

/** Gives the one decision; the asker is due because of it. */
export function decideRequest(state: TeamState, command: Of<'request.decide'>, ids: Numbering): Decision {
  const request = state.requests.get(command.request);
  if (request === undefined) {
    const known = [...state.requests.values()]
      .filter((known) => known.status.kind === 'open')
      .map((known) => known.id);
    return refused(
      'unknown_request',
      `no request ${command.request}; ${known.length === 0 ? 'none is open' : `open: ${known.join(', ')}`}`,
    );
  }
  if (request.status.kind !== 'open') return alreadyOver(request);
  const principal = command.by.kind === 'operator' ? 'operator' : 'lead';
  if (!request.principals.includes(principal)) {
    return refused(
      'not_a_principal',
      `${request.id} may be decided by ${request.principals.join(' or ')} only`,
    );
  }
  if (command.by.kind === 'member' && (command.by.member !== state.lead || request.member === state.lead)) {
    return refused(
      'not_a_principal',
      `${command.by.member} may not decide ${request.id} of ${request.member}`,
    );
  }
  if (!ALLOWED[request.kind].includes(command.decision)) {
    return refused(
      'wrong_answer',
      `a ${request.kind} is answered by ${ALLOWED[request.kind].join(' or ')}, not by ${command.decision}`,
    );
  }
  if (command.digest !== null && command.digest !== request.digest) {
    return refused(
      'digest_mismatch',
      `the decision names digest ${command.digest}; ${request.id} is about ${request.digest}: read it again`,
    );
  }
  const by: Decider =
    command.by.kind === 'operator'
      ? { kind: 'operator', name: command.by.name }
      : { kind: 'lead', name: command.by.member };
  const facts: Fact[] = [
    { type: 'request.decided', request: request.id, decision: command.decision, text: command.text, by },
  ];
  const plan = state.members.get(request.member)?.plan;
  if (request.kind === 'plan' && plan?.kind === 'pending' && plan.request === request.id) {
    facts.push({
      type: 'plan.decided',
      member: request.member,
      version: plan.version,
      digest: plan.digest,
      decision: command.decision === 'approve' ? 'approve' : 'revise',
      feedback: command.text,
      by,
    });
    if (by.kind === 'operator' && request.principals.includes('lead')) {
      facts.push(
        message(
          ids,
          'report',
          'runtime',
          [state.lead],
          `The operator has decided the plan of ${request.member}: ${command.decision}.`,
        ),
      );
    }
  }
  return accepted(...facts);
}

/** Takes back everything a member still asks for; nobody's decision, and the reason is kept. */
export function withdrawFacts(state: TeamState, member: string, reason: string): Fact[] {
  return openRequests(state, member).map((request) => ({ type: 'request.withdrawn', request, reason }));
}

function openRequests(state: TeamState, member: string): string[] {
  return [...state.requests.values()]
    .filter((request) => request.member === member && request.status.kind === 'open')
    .map((request) => request.id);
}

/** A plan is wanted in plan mode only and decided by a person or the lead; a rule answers what it may answer. */
function unfitOpening(member: Member, { opened, plan, decided }: Of<'request.open'>): Decision | undefined {
  if (plan !== null && member.plan.kind === 'none') {
    return refused(
      'not_in_plan_mode',
      `${member.name} works without a plan: nothing is to be approved; go on`,
    );
  }
  if (decided === null) return undefined;
  if (opened.kind === 'plan') return refused('not_a_principal', 'no rule and no flag decides a plan');
  if (ALLOWED[opened.kind].includes(decided.decision)) return undefined;
  return refused('wrong_answer', `${decided.decision} is no answer to a ${opened.kind}`);
}

/** The request's time is up: a state of its own, never a denial by the operator. */
export function expireFacts(state: TeamState, now: number): Fact[] {
  const facts: Fact[] = [];
  for (const request of state.requests.values()) {
    if (request.status.kind === 'open' && request.expiresAt !== null && request.expiresAt <= now) {
      facts.push({ type: 'request.expired', request: request.id });
    }
  }
  return facts;
}

/**
 * Plans are the lead's to decide unless the seat says otherwise; the operator may always. The lead's own plan is
 * the operator's: nobody approves for himself.
 */
function principals(member: Member, kind: RequestKind): ('operator' | 'lead')[] {
  const byLead = kind === 'plan' && member.seat.plan_approver === 'lead' && !member.seat.lead;
  return byLead ? ['lead', 'operator'] : ['operator'];
}

function planMail(
  state: TeamState,
  ids: Numbering,
  member: Member,
  version: number,
  command: Of<'request.open'>,
  request: string,
): Fact {
  return message(
    ids,
    'report',
    'runtime',
    [state.lead],
    `${member.name} asks you to approve its plan, version ${version} (${request}). Decide with team_plan_decide ` +
      `{"member":"${member.name}","plan_digest":"${command.opened.digest}","decision":"approve" or "revise"}.\n` +
      quote(`plan ${request} by ${member.name}`, command.plan ?? ''),
  );
}

function alreadyOver(request: Request): Decision {
  const status = request.status;
  if (status.kind === 'decided') {
    return refused(
      'already_decided',
      `${request.id} was decided before: ${status.decision} by ${status.by.kind} ${asker(status.by)}`,
    );
  }
  const how = status.kind === 'expired' ? 'has expired; it was not run' : 'was withdrawn; it was not run';
  return refused(status.kind === 'expired' ? 'expired' : 'withdrawn', `${request.id} ${how}`);
}

function asker(by: Decider): string {
  return `(${by.name})`;
}
