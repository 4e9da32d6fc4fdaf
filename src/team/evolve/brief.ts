/** What facts about briefs do to the state (F1 to F4 of `brief.ts`). */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import { type Brief, type BriefStatus, briefWord, isLiveBrief, LATE_RESULT, UNSERVED } from '../brief.js';
import { withBrief, withoutBrief, withUsage } from '../ledger.js';
import type { TeamState } from '../state.js';
import { revive } from './board.js';
import { setTask, taskOf, writable } from './writable.js';

type BriefFact = FactOf<
  | 'brief.sent'
  | 'brief.accepted'
  | 'brief.progress'
  | 'brief.cancel_requested'
  | 'brief.delivered'
  | 'brief.ended'
  | 'brief.adopted'
  | 'brief.evidence'
>;

/** Applies one fact about a brief. */
export function evolveBrief(state: TeamState, fact: BriefFact, number: number): void {
  const draft = writable(state);
  if (fact.type === 'brief.sent') {
    const mayWrite = someoneMayWrite(state, fact.member);
    draft.briefs.set(fact.brief, {
      sent: fact,
      sentAt: state.at,
      status: { kind: 'sent' },
      stalled: false,
      unserved: false,
      written: mayWrite,
      late: null,
      adopted: false,
    });
    draft.budget = withBrief(state.budget, fact);
    draft.told = 0;
    setTask(state, fact.task, { brief: fact.brief });
    return;
  }
  const brief = state.briefs.get(fact.brief);
  if (brief === undefined) return; // Nothing is decided about a brief that was never sent.
  const since = state.at;
  const runner = runnerOf(brief.status);
  switch (fact.type) {
    case 'brief.accepted':
      setBrief(state, brief, { kind: 'running', runner: fact.runner, step: 'accepted', detail: null, since });
      break;
    case 'brief.progress':
      if (brief.status.kind !== 'running') break;
      setBrief(state, brief, { ...brief.status, step: fact.step, detail: fact.detail, since });
      if (fact.step === 'stalled') change(state, fact.brief, { stalled: true });
      break;
    case 'brief.cancel_requested': {
      const { by, reason, becomes, detail } = fact;
      setBrief(state, brief, { kind: 'cancelling', by, reason, becomes, detail, runner, since });
      break;
    }
    case 'brief.delivered': {
      const { branch, head } = fact;
      setTask(state, brief.sent.task, { delivered: { attempt: brief.sent.attempt, branch, head } });
      break;
    }
    case 'brief.ended': {
      const { status, cause, result } = fact;
      setBrief(state, brief, { kind: 'ended', status, cause, result, runner, since });
      draft.budget = withUsage(withoutBrief(state.budget, brief.sent), {
        ...fact.usage,
        cost_usd: fact.cost_usd,
        estimated: fact.estimated,
      });
      draft.told = 0;
      const pending = taskOf(state, brief.sent.task).state.kind === 'pending';
      // A task that was given back is ready from here on, not before.
      setTask(state, brief.sent.task, {
        brief: null,
        ...(pending ? { state: { kind: 'pending', since: number } } : {}),
      });
      break;
    }
    case 'brief.adopted':
      if (brief.status.kind !== 'ended') break;
      setBrief(state, brief, { ...brief.status, status: 'completed', cause: null, result: fact.result });
      change(state, fact.brief, { adopted: true });
      if (fact.revives) revive(state, brief.sent);
      draft.told = 0;
      break;
    case 'brief.evidence':
      if (fact.code === LATE_RESULT && briefWord(brief) === 'lost')
        change(state, fact.brief, { late: fact.result });
      if (UNSERVED.includes(fact.code)) change(state, fact.brief, { unserved: true });
      break;
    default:
      assertNever(fact, 'fact of a brief');
  }
}

/** A tool with an effect has started: what changes in the workspace from here on may be its doing. */
export function noteWrite(state: TeamState, { class: of, tool }: FactOf<'tool.started'>): void {
  if (of === 'read' || DELEGATING.has(tool)) return;
  for (const brief of state.briefs.values()) {
    // What is lost may still be at work somewhere, and be adopted.
    const counts = isLiveBrief(brief) || briefWord(brief) === 'lost';
    if (counts && !brief.written) change(state, brief.sent.brief, { written: true });
  }
}

/** Tools with a class that write nothing themselves: an engineer does, in a repository of its own. */
const DELEGATING: ReadonlySet<string> = new Set(['delegate_engineer', 'delegate_cancel']);

/**
 * Whether a tool that writes may be running now. When a call ends the facts do not say, so each that the live turn of
 * another has started counts; those of the delegating member itself are over: it makes one call at a time.
 */
function someoneMayWrite(state: TeamState, delegating: string): boolean {
  return [...state.members.values()].some(
    ({ name, life, started }) => name !== delegating && life.kind === 'working' && started.size > 0,
  );
}

function runnerOf(status: BriefStatus): string | null {
  return status.kind === 'sent' ? null : status.runner;
}

function setBrief(state: TeamState, { sent }: Brief, status: BriefStatus): void {
  change(state, sent.brief, { status });
}

function change(state: TeamState, id: string, fields: Partial<Brief>): void {
  const brief = state.briefs.get(id);
  if (brief !== undefined) writable(state).briefs.set(id, { ...brief, ...fields });
}
