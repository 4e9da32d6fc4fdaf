/**
 * Runs one call of the model's (spec/team.md §3, by the same policy function as in a team): what needs somebody's word
 * is put to the person there, and refused as a result where nobody is. Never rejects.
 */

import type { MemoryCall, ResultOutcome } from '../agent/memory.js';
import type { PreparedCall, Tool } from '../agent/tool.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import { sha256 } from '../shared/digest.js';
import { errorText } from '../shared/errors.js';
import { oneLine } from '../shared/terminal-text.js';
import { policy } from '../team/policy/policy.js';
import type { RequestView } from '../team/show/status.js';
import { placeholderRefusal } from '../tools/files/placeholder-refusal.js';
import type { ChatParts } from './parts.js';
import type { Round } from './round.js';
import { outsideScope } from './tool-scope.js';

export interface Acted {
  readonly text: string;
  readonly outcome: ResultOutcome;
}

export interface Acting {
  readonly parts: Pick<ChatParts, 'name' | 'policy' | 'confirm' | 'tell'>;
  /** The round whose tools the model was sent. */
  readonly round: Round;
  /** What the model last said, for the person who is asked. */
  readonly context: string | null;
  /** The number of a request that has to be asked. */
  nextRequest(): number;
}

type Ready = Extract<PreparedCall, { kind: 'ready' }>;

/** Runs a call of any tool but `skill`. */
export async function act(acting: Acting, call: MemoryCall, signal: AbortSignal): Promise<Acted> {
  const tool = acting.round.tools.get(call.tool);
  if (tool === undefined) {
    const known = acting.round.definitions.map(({ name }) => name);
    return failed(`unknown tool "${oneLine(call.tool, 80)}"; ${nameRemedy(call.tool, known)}`);
  }
  try {
    return await work(acting, call, tool, signal);
  } catch (thrown) {
    return failed(`${call.tool} failed unexpectedly: ${errorText(thrown)}`);
  }
}

async function work(acting: Acting, call: MemoryCall, tool: Tool, signal: AbortSignal): Promise<Acted> {
  const ready = await tool.prepare(call.arguments);
  if (ready.kind === 'refused') return failed(ready.text);
  const placeholder = placeholderRefusal(call, ready);
  if (placeholder !== undefined) return failed(placeholder);
  const { subject, subjects } = ready;
  const outside = outsideScope(acting.round.scope, { tool: call.tool, subject, subjects });
  if (outside !== undefined) return denied(outside);
  if (ready.class === 'coordination') return failed(`${call.tool} is no work tool`);
  const verdict = policy({
    ...acting.parts.policy,
    tool: call.tool,
    class: ready.class,
    subject,
    subjects,
    planPending: false,
    operatorConfirms: ready.operatorConfirms === true,
    runsProgram: ready.runsProgram === true,
  });
  if (verdict.kind === 'deny')
    return denied(ready.why === undefined ? verdict.row : `${verdict.row}; ${ready.why}`);
  if (verdict.kind === 'ask') {
    const refusal = await ask(acting, call, ready, verdict.row, signal);
    if (refusal !== undefined) return refusal;
  }
  acting.parts.tell({ kind: 'calling', tool: call.tool, summary: ready.summary });
  const result = await tool.run(ready.arguments, signal);
  return {
    text: result.text,
    outcome: signal.aborted && result.outcome === 'error' ? 'cancelled' : result.outcome,
  };
}

/** Undefined: the person there has approved exactly this call. */
async function ask(
  { parts, context, nextRequest }: Acting,
  call: MemoryCall,
  ready: Ready,
  row: string,
  signal: AbortSignal,
): Promise<Acted | undefined> {
  if (parts.confirm === null) {
    return denied(`it needs a confirmation (${row}), and nobody is at a terminal to give it`);
  }
  const args = JSON.stringify(ready.arguments) ?? '';
  const request: RequestView = {
    id: `r${nextRequest()}`,
    kind: 'confirmation',
    member: parts.name,
    state: 'open',
    principals: ['operator'],
    tool: call.tool,
    class: ready.class,
    summary: ready.summary,
    arguments: args,
    context,
    policy: row,
    digest: sha256(JSON.stringify([call.tool, args, ready.class])),
    always: null,
    task: null,
    opened_ms: 0,
    expires_ms: null,
    left_ms: null,
    decision: null,
    by: null,
  };
  const word = await parts.confirm(request, signal);
  if (signal.aborted) return { text: 'not run: the round was stopped', outcome: 'cancelled' };
  return word === 'approve' ? undefined : denied('the operator has denied it');
}

function denied(why: string): Acted {
  return { text: `denied, not run: ${why}`, outcome: 'denied' };
}

function failed(text: string): Acted {
  return { text, outcome: 'error' };
}
