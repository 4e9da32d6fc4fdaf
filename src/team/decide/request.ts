/**
 * Requests: confirmations, questions, plans, gates (spec/team.md §3, §6). Each has an id, the digest of exactly what it
 * is about, and gets one decision by a principal who may give it (invariant 4). Model text is never a decision.
 *
 *  R1 who may decide is settled when it is opened (`principals.ts`), and the lead is told all of what it may decide;
 *  R2 the lead's decision names the digest that it saw;
 *  R3 a request whose time is up is expired, also before anybody has written that down: no word on it counts.
 */

import type { Fact, FactOf } from '../../events/event.js';
import type { Decider, RequestKind } from '../../events/facts/work.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { approvalText, expiredText } from '../notices/request-notices.js';
import { whyNoAlways } from '../policy/always.js';
import type { Member, Request, TeamState } from '../state.js';
import { gateFacts } from './gate.js';
import { refusedByLimit } from './met-limit.js';
import { principalsOf } from './principals.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;
type Verdict = FactOf<'request.decided'>['decision'];

const ALLOWED: Readonly<Record<RequestKind, readonly Verdict[]>> = {
  confirmation: ['approve', 'deny'],
  question: ['answer', 'skip'],
  plan: ['approve', 'revise'],
  gate: ['approve', 'revise', 'deny'],
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
  const principals = principalsOf(member, command, run.limits.mail_bytes);
  const unfit = unfitOpening(member, command, principals, run.limits.mail_bytes);
  if (unfit !== undefined) return unfit;
  // A new version of a plan takes the place of the one that waits.
  const replaced = command.plan !== null && member.plan.kind === 'pending' ? member.plan.request : undefined;
  const open = openRequests(state, member.name).filter((id) => id !== replaced);
  if (open.length >= run.limits.open_requests) {
    const text = `${member.name} has ${open.length} open requests; the limit is ${run.limits.open_requests} (limits.open_requests): wait for an answer first`;
    const met = { limit: 'open_requests', value: open.length, member: member.name, text } as const;
    return refusedByLimit(state, ids, met);
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
      principals,
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
  }
  // What a rule has decided already is nobody's to decide any more.
  if (command.decided === null && principals.includes('lead')) {
    const text = approvalText(request, member, command.opened, command.plan);
    facts.push(message(ids, 'report', 'runtime', [state.lead], text));
  }
  if (command.decided !== null) {
    facts.push({
      type: 'request.decided',
      request,
      decision: command.decided.decision,
      text: null,
      digest: command.opened.digest,
      by: command.decided.by,
    });
  }
  return accepted(...facts);
}

/**
 * Gives the one decision; the asker is due because of it.
 * @param now team time in milliseconds
 */
export function decideRequest(
  state: TeamState,
  command: Of<'request.decide'>,
  now: number,
  ids: Numbering,
): Decision {
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
  if (isOverdue(request, now)) {
    return refused('expired', expiredText(request), [{ type: 'request.expired', request: request.id }]);
  }
  const unfit = unfitDecision(state, request, command);
  if (unfit !== undefined) return unfit;
  const by: Decider =
    command.by.kind === 'operator'
      ? { kind: 'operator', name: command.by.name }
      : { kind: 'lead', name: command.by.member };
  const decision = command.decision === 'always' ? 'approve' : command.decision;
  const { text, digest } = command;
  const facts: Fact[] = [{ type: 'request.decided', request: request.id, decision, text, digest, by }];
  if (request.kind === 'gate') {
    const gate = gateFacts(state, request, command, ids);
    return gate.kind === 'refused' ? gate : accepted(...facts, ...gate.facts);
  }
  if (command.decision === 'always') {
    const { id, member, tool, always } = request;
    facts.push({ type: 'permission.granted', member, tool, match: always, request: id, by });
  }
  const plan = state.members.get(request.member)?.plan;
  if (request.kind === 'plan' && plan?.kind === 'pending' && plan.request === request.id) {
    facts.push({
      type: 'plan.decided',
      member: request.member,
      version: plan.version,
      digest: plan.digest,
      decision: decision === 'approve' ? 'approve' : 'revise',
      feedback: command.text,
      by,
    });
  }
  if (by.kind === 'operator' && request.principals.includes('lead')) {
    const what =
      request.kind === 'plan' ? `the plan of ${request.member}` : `${request.id} of ${request.member}`;
    facts.push(...reportToLead(state, ids, request.member, `The operator has decided ${what}: ${decision}.`));
  }
  return accepted(...facts);
}

/** Who may not say this of this request, and why. */
function unfitDecision(
  state: TeamState,
  request: Request,
  command: Of<'request.decide'>,
): Decision | undefined {
  const { by, decision, digest } = command;
  const principal = by.kind === 'operator' ? 'operator' : 'lead';
  if (!request.principals.includes(principal)) {
    return refused(
      'not_a_principal',
      `${request.id} may be decided by ${request.principals.join(' or ')} only`,
    );
  }
  if (by.kind === 'member' && (by.member !== state.lead || request.member === state.lead)) {
    return refused('not_a_principal', `${by.member} may not decide ${request.id} of ${request.member}`);
  }
  if (decision === 'always') {
    const why = by.kind === 'operator' ? whyNoAlways(request) : 'only the operator may say it';
    if (why !== null)
      return refused('no_always', `always cannot be said of ${request.id}: ${why}; it is approved by yes`);
  } else if (!ALLOWED[request.kind].includes(decision)) {
    return refused(
      'wrong_answer',
      `a ${request.kind} is answered by ${ALLOWED[request.kind].join(' or ')}, not by ${decision}`,
    );
  }
  if (by.kind === 'member' && digest === null) {
    return refused('digest_missing', `a decision names the digest of what it is about: ${request.digest}`);
  }
  if (digest !== null && digest !== request.digest) {
    return refused(
      'digest_mismatch',
      `the decision names digest ${digest}; ${request.id} is about ${request.digest}: read it again`,
    );
  }
  return undefined;
}

/** Takes back everything a member still asks for; nobody's decision, and the reason is kept. */
export function withdrawFacts(state: TeamState, member: string, reason: string): Fact[] {
  return openRequests(state, member).map((request) => ({ type: 'request.withdrawn', request, reason }));
}

function openRequests(state: TeamState, member: string): string[] {
  return (
    [...state.requests.values()]
      // A gate is about a task: it outlives its owner's failure and counts for no member.
      .filter(({ member: of, status, kind }) => of === member && status.kind === 'open' && kind !== 'gate')
      .map((request) => request.id)
  );
}

/** A plan is wanted in plan mode only and decided by a person or the lead; a rule answers what it may answer. */
function unfitOpening(
  member: Member,
  { opened, plan, decided }: Of<'request.open'>,
  principals: Request['principals'],
  shownBytes: number,
): Decision | undefined {
  if (plan !== null && member.plan.kind === 'none') {
    return refused(
      'not_in_plan_mode',
      `${member.name} works without a plan: nothing is to be approved; go on`,
    );
  }
  const bytes = plan === null ? 0 : Buffer.byteLength(plan);
  if (bytes > shownBytes && principals.includes('lead')) {
    return refused(
      'limit',
      `the plan has ${bytes} bytes; the lead is shown ${shownBytes} (limits.mail_bytes) and decides only what it has ` +
        'read whole: submit a shorter one',
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
    if (isOverdue(request, now)) facts.push({ type: 'request.expired', request: request.id });
  }
  return facts;
}

/**
 * Whether an open request has had its time.
 * @param now team time in milliseconds
 */
export function isOverdue(
  { status, expiresAt }: Pick<Request, 'status' | 'expiresAt'>,
  now: number,
): boolean {
  return status.kind === 'open' && expiresAt !== null && expiresAt <= now;
}

function alreadyOver(request: Request): Decision {
  const status = request.status;
  if (status.kind === 'decided') {
    return refused(
      'already_decided',
      `${request.id} was decided before: ${status.decision} by ${status.by.kind} ${asker(status.by)}`,
    );
  }
  if (status.kind === 'expired') return refused('expired', expiredText(request));
  return refused('withdrawn', `${request.id} was withdrawn; it was not run`);
}

function asker(by: Decider): string {
  return `(${by.name})`;
}
