/**
 * Runs one call of a member: finds the tool, asks the policy, opens or reads the request, records the start, runs
 * (spec/team.md §2, §3; spec/engine.md §2).
 *
 *  A1 a Write or Destructive call is recorded as started before it runs; one that had started and has no result is
 *     reported as interrupted and never repeated;
 *  A2 what runs is exactly what was stored and digested; an approval that somebody gave is used up when the call starts,
 *     whatever its class;
 *  A3 a call that waits for a word parks the turn and holds nothing;
 *  A4 a call that would write the placeholder of a secret is refused (invariant 8);
 *  A5 nothing a tool does rejects: every call ends in a result. What rejects is a record that takes nothing more.
 */

import type { MemoryCall } from '../../agent/memory.js';
import type { CallOutcome } from '../../agent/run-turn.js';
import type { PreparedCall, Tool } from '../../agent/tool.js';
import type { Decider } from '../../events/facts/work.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { sha256 } from '../../shared/digest.js';
import { errorText } from '../../shared/errors.js';
import type { TeamStore } from '../../state/team-store.js';
import type { Command } from '../../team/command.js';
import { turnScope } from '../../team/evolve.js';
import {
  type PermissionRule,
  type PolicyQuestion,
  type PolicyVerdict,
  policy,
} from '../../team/policy/policy.js';
import type { Member, Request } from '../../team/show/view.js';
import { alwaysPattern } from '../../tools/always-pattern.js';
import type { Delegated } from '../../tools/coordination/delegated.js';
import { placeholderRefusal } from '../../tools/files/placeholder-refusal.js';
import { requestCall } from '../../tools/request-tools.js';
import { planPending, type SeatTool } from './member-tools.js';
import { confirmationResult, planResult, questionResult } from './request-results.js';

export interface Acting {
  readonly store: TeamStore;
  readonly member: string;
  readonly turn: number;
  readonly tools: ReadonlyMap<string, SeatTool>;
  /** Patterns of the member's role, as frozen in its seat. */
  readonly patterns: readonly PermissionRule[];
  /** Of this machine, beside the rules of the run. */
  readonly denies: readonly PermissionRule[];
  /** Absolute; part of what an approval is about. */
  readonly workspace: string;
  /** What the member last said, for the operator. */
  readonly context: string | null;
  fileBytes(path: string, head: string | null): Promise<number | null>;
  readonly delegated: Delegated | null;
  /** Whether the reply that holds the calls was cut off. */
  readonly cut: boolean;
  /** Tells the outside what the member is doing. */
  busyWith(what: string): void;
}

type Work = Extract<PreparedCall, { kind: 'ready' }> & { readonly tool: Tool; readonly name: string };

/** Runs one call to its outcome. */
export async function act(acting: Acting, call: MemoryCall, signal: AbortSignal): Promise<CallOutcome> {
  const tool = acting.tools.get(call.tool);
  if (tool === undefined) {
    return error(`there is no tool ${call.tool}; ${nameRemedy(call.tool, [...acting.tools.keys()])}`);
  }
  acting.busyWith(`running ${call.tool}`);
  try {
    return await byKind(acting, call, tool, signal);
  } catch (thrown) {
    // A tool that throws is a bug of the tool: the member is told and the team goes on, if it can be written down.
    if (acting.store.failure !== undefined) throw thrown;
    return error(`${call.tool} failed unexpectedly: ${errorText(thrown)}`);
  }
}

async function byKind(
  acting: Acting,
  call: MemoryCall,
  tool: SeatTool,
  signal: AbortSignal,
): Promise<CallOutcome> {
  switch (tool.kind) {
    case 'coordination': {
      const result = await tool.tool.run(call.arguments, {
        member: acting.member,
        turn: acting.turn,
        state: () => acting.store.state,
        send: (command, part = '') => acting.store.send(`${commandId(acting, call)}${part}`, command),
        fileBytes: acting.fileBytes,
        delegated: acting.delegated,
        cut: acting.cut,
      });
      return {
        kind: 'result',
        text: result.text,
        outcome: result.outcome,
        endsTurn: result.endsTurn === true,
      };
    }
    case 'request':
      return askSomebody(acting, call, tool.name);
    case 'work':
      return work(acting, call, tool.tool, signal);
  }
}

async function work(acting: Acting, call: MemoryCall, tool: Tool, signal: AbortSignal): Promise<CallOutcome> {
  const member = memberOf(acting);
  if (member.started.has(call.place)) {
    return {
      kind: 'result',
      text: 'interrupted: the call had started when its process ended; it is unknown whether it took effect. Look before you repeat it.',
      outcome: 'interrupted',
      endsTurn: false,
    };
  }
  const prepared = await tool.prepare(call.arguments);
  if (prepared.kind === 'refused') return error(prepared.text);
  const ready: Work = { ...prepared, tool, name: call.tool };
  const placeholder = placeholderRefusal(call, ready);
  if (placeholder !== undefined) return error(placeholder);
  if (ready.class === 'coordination') return error(`${call.tool} is no work tool`);
  const run = acting.store.state.run;
  if (run === null) return error('the team was never started');
  const question: PolicyQuestion = {
    tool: call.tool,
    class: ready.class,
    subject: ready.subject,
    subjects: ready.subjects,
    safety: run.safety,
    planPending: planPending(member),
    autoApprove: run.auto_approve,
    rules: [...run.permissions, ...acting.denies],
    patterns: acting.patterns,
    granted: member.granted,
    operatorConfirms: ready.operatorConfirms === true,
    runsProgram: ready.runsProgram === true,
  };
  const verdict = policy(question);
  if (verdict.kind === 'deny') {
    const why = ready.why === undefined ? '' : `; ${ready.why}`;
    const text = `denied, not run: ${verdict.row}${why}`;
    return { kind: 'result', text, outcome: 'denied', endsTurn: false };
  }
  if (verdict.kind === 'free') return start(acting, call, ready, undefined, signal);
  return confirmed(acting, call, ready, { ...verdict, always: alwaysFor(question, ready) }, signal);
}

/** A call that needs a confirmation: its request is opened, read, or waited for. */
async function confirmed(
  acting: Acting,
  call: MemoryCall,
  ready: Work,
  verdict: Extract<PolicyVerdict, { kind: 'allow' | 'ask' }> & { readonly always: string | null },
  signal: AbortSignal,
): Promise<CallOutcome> {
  const digest = callDigest(acting, ready);
  let request = requestAt(acting, call.place);
  if (request === undefined) {
    const by: Decider = { kind: 'policy', name: verdict.row };
    const opened = await open(acting, call, {
      plan: null,
      ...(ready.operatorConfirms === true ? { operatorConfirms: true } : {}),
      decided: verdict.kind === 'allow' ? { decision: 'approve', by } : null,
      opened: {
        kind: 'confirmation',
        place: call.place,
        digest,
        tool: call.tool,
        class: ready.class === 'coordination' ? null : ready.class,
        arguments: JSON.stringify(ready.arguments),
        summary: ready.summary,
        context: acting.context,
        policy: verdict.row,
        always: verdict.always,
        task: null,
      },
    });
    if (opened.kind === 'result') return opened;
    request = opened.request;
  }
  const { status } = request;
  if (status.kind === 'open') return { kind: 'parked', request: request.id };
  if (status.kind !== 'decided' || status.decision !== 'approve') return confirmationResult(request);
  if (request.digest !== digest || request.arguments !== JSON.stringify(ready.arguments)) {
    return error(
      `not run: ${request.id} approved another call than this one (its arguments or its class have changed since); ` +
        'make the call again, and it is asked about anew',
    );
  }
  return start(acting, call, { ...ready, arguments: JSON.parse(request.arguments) }, request, signal);
}

/** Records the start of a call with an effect, or with somebody's approval, then runs it. */
async function start(
  acting: Acting,
  call: MemoryCall,
  ready: Work,
  request: Request | undefined,
  signal: AbortSignal,
): Promise<CallOutcome> {
  if (ready.class === 'coordination') return error(`${call.tool} is no work tool`);
  if (ready.class !== 'read' || isSomebodysWord(request)) {
    const started = await acting.store.send(`${commandId(acting, call)}start`, {
      kind: 'tool.start',
      member: acting.member,
      turn: acting.turn,
      place: call.place,
      tool: call.tool,
      class: ready.class,
      digest: callDigest(acting, ready),
      request: request?.id ?? null,
    });
    if (started.kind === 'refused') return error(`not run: ${started.code}: ${started.message}`);
  }
  const result = await ready.tool.run(ready.arguments, signal, call.place);
  const outcome = signal.aborted && result.outcome === 'error' ? 'cancelled' : result.outcome;
  return { kind: 'result', text: result.text, outcome, endsTurn: false };
}

/** A call of class Read that a rule has answered may be repeated after a crash, as one that needs no answer is. */
function isSomebodysWord(request: Request | undefined): boolean {
  return request?.status.kind === 'decided' && request.status.by.kind !== 'policy';
}

/**
 * The pattern that `always` would allow, null where it would change nothing: where a rule asks all the same, or only an
 * operator may confirm each. What is offered is what the policy would then answer.
 */
function alwaysFor(question: PolicyQuestion, ready: Work): string | null {
  const match = alwaysPattern(question.tool, ready);
  if (match === null) return null;
  const granted = { tool: question.tool, match, decision: 'allow' as const, origin: 'always' };
  const then = policy({ ...question, autoApprove: 'never', granted: [granted] });
  return then.kind === 'allow' ? match : null;
}

/** A question or a plan: opened once, then parked on until somebody's word or the clock ends it. */
async function askSomebody(
  acting: Acting,
  call: MemoryCall,
  name: 'ask_question' | 'team_plan_submit',
): Promise<CallOutcome> {
  let request = requestAt(acting, call.place);
  if (request === undefined) {
    const asked = requestCall(name, call.arguments);
    if (asked.kind === 'refused') return error(asked.text);
    const skip = asked.request === 'question' && acting.store.state.run?.auto_skip_questions === true;
    const opened = await open(acting, call, {
      plan: asked.request === 'plan' ? asked.text : null,
      decided: skip ? { decision: 'skip', by: { kind: 'policy', name: '--auto-skip-questions' } } : null,
      opened: {
        kind: asked.request,
        place: call.place,
        digest: asked.digest,
        tool: name,
        class: null,
        arguments: JSON.stringify(asked.arguments),
        summary: asked.text,
        context: acting.context,
        policy: asked.request === 'plan' ? 'plan mode: a plan needs approval' : 'a question to the operator',
        always: null,
        task: null,
      },
    });
    if (opened.kind === 'result') return opened;
    request = opened.request;
  }
  if (request.status.kind === 'open') return { kind: 'parked', request: request.id };
  return request.kind === 'plan' ? planResult(request) : questionResult(request);
}

type Opening = Omit<Extract<Command, { kind: 'request.open' }>, 'kind' | 'member' | 'turn'>;

type Opened =
  | { readonly kind: 'opened'; readonly request: Request }
  | Extract<CallOutcome, { kind: 'result' }>;

/** Opens the request of a call: the request as it is recorded, or the result of a call that may not ask. */
async function open(acting: Acting, call: MemoryCall, opening: Opening): Promise<Opened> {
  const { member, turn } = acting;
  const sent = await acting.store.send(`${commandId(acting, call)}request`, {
    kind: 'request.open',
    member,
    turn,
    ...opening,
  });
  if (sent.kind === 'refused') return error(`${sent.code}: ${sent.message}`);
  const request = requestAt(acting, call.place);
  return request === undefined ? error('the request was not recorded') : { kind: 'opened', request };
}

/** Exactly what would run: tool, arguments, directory, class (spec/team.md §3). */
function callDigest(acting: Acting, ready: Work): string {
  return sha256(JSON.stringify([ready.name, ready.arguments, acting.workspace, ready.class]));
}

/** Commands of a call are keyed by its place: running it again after a crash has no second effect. */
function commandId(acting: Acting, call: MemoryCall): string {
  return `${turnScope(acting.member)}${call.place}/`;
}

function requestAt(acting: Acting, place: string): Request | undefined {
  for (const request of acting.store.state.requests.values()) {
    if (request.member === acting.member && request.place === place) return request;
  }
  return undefined;
}

function memberOf(acting: Acting): Member {
  const member = acting.store.state.members.get(acting.member);
  if (member === undefined) throw new Error(`no member ${acting.member}`);
  return member;
}

function error(text: string): Extract<CallOutcome, { kind: 'result' }> {
  return { kind: 'result', text, outcome: 'error', endsTurn: false };
}
