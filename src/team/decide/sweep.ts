/**
 * The sweep: has something expired, has the run come to an end, does nothing move any more? (spec/team.md §7)
 *
 * A run does not end while a brief is out, but after the second word: what would end it calls the engineers off first, and
 * the end of the last brief is the end of the run.
 *
 * Anybody may send it at any time; when there is nothing to say it gives no facts. When several endings hold, the
 * order of this file is the order of the spec: cancelled, failed, budget, deadline, needs_human, unverified (see
 * `endFacts`), stalled, partial, done.
 */

import type { Fact } from '../../events/event.js';
import { liveBriefs } from '../brief.js';
import type { Command, MissingArtifact } from '../command.js';
import { accepted, type Decision } from '../decision.js';
import { dueMembers } from '../due.js';
import { type Ending, endFacts } from '../end.js';
import { overLimit } from '../ledger.js';
import { message, type Numbering } from '../mail.js';
import { diagnosis, stalledText } from '../notices/notices.js';
import { type Closing, isOpen, type TeamState } from '../state.js';
import { waitedFor, waitingMembers } from '../waits.js';
import { cancelAll } from './brief-leave.js';
import { expireFacts } from './request.js';
import { upstreamFacts } from './upstream.js';

/** How often the lead is told that nothing moves before the run ends for it, or an operator is asked in its place. */
export const TOLD = 2;

type Sweep = Extract<Command, { kind: 'run.sweep' }>;

/** Looks at the whole team once. */
export function sweep(state: TeamState, command: Sweep, now: number, ids: Numbering): Decision {
  if (state.phase.kind === 'ended') return accepted(); // Time stands still for a run that has ended.
  const overdue = [...expireFacts(state, now), ...upstreamFacts(state)];
  if (overdue.length > 0) return accepted(...overdue);
  const working = [...state.members.values()].some((member) => member.life.kind === 'working');
  // After the second word nothing is waited for: a turn that did not end counts as interrupted on resume.
  const forced = state.phase.kind === 'stopping' && state.phase.forced;
  if (working && !forced) return accepted();
  const gone = command.missingArtifacts;
  switch (state.phase.kind) {
    case 'stopping':
      if (!forced && liveBriefs(state).length > 0) return accepted();
      return end(state, now, ending('cancelled', null, `stopped by ${state.phase.by}`, 'operator'));
    case 'finishing':
      return end(state, now, finished(state.phase.closing), gone);
    case 'running':
      return running(state, command, now, ids);
    case 'absent':
    case 'archived':
      return accepted();
  }
}

function running(state: TeamState, command: Sweep, now: number, ids: Numbering): Decision {
  const { operatorPresent, missingArtifacts: gone } = command;
  const lead = state.members.get(state.lead);
  const out = liveBriefs(state).length > 0;
  if (lead?.life.kind === 'errored') {
    if (out) return accepted(...cancelAll(state, 'runtime', 'the lead has failed'));
    return end(state, now, ending('failed', 'error', `the lead has failed: ${lead.life.error}`, 'runtime'));
  }
  const limit = overLimit(state, now);
  if (limit !== undefined) {
    if (out) return accepted(...cancelAll(state, 'runtime', `limits.${limit.limit} was reached`));
    const waits = waitingMembers(state).map(
      ({ member, wait }) => `; ${member.name} waited for ${waitedFor(wait)}`,
    );
    const unfit = limit.unfit ? ', and the next call does not fit into the rest' : '';
    const detail = `limit ${limit.limit} = ${figure(limit.bound)} reached: ${figure(limit.value)}${unfit}${waits.join('')}`;
    const reached: Fact[] = state.limitsMet.has(limit.limit)
      ? []
      : [{ type: 'limit.reached', limit: limit.limit, value: limit.value, member: null }];
    return accepted(...reached, ...endFacts(state, ending(limit.ends, null, detail, 'runtime'), now));
  }
  if (dueMembers(state, now).length > 0) return accepted();
  // They go on by themselves when their time comes; nothing can be said of a team before.
  if (waitingMembers(state).length > 0) return accepted();
  // So does a brief, by its end: until then nothing is stalled.
  if (out) return accepted();
  const tasks = [...state.tasks.values()];
  const open = tasks.some(isOpen);
  const completed = tasks.some((task) => task.state.kind === 'completed');
  const requests = [...state.requests.values()].filter((request) => request.status.kind === 'open');
  // A plan that the lead may decide is the lead's first: it is told before the operator is waited for.
  const leadMayAct =
    lead?.life.kind === 'idle' && requests.some((request) => request.principals.includes('lead'));
  if (requests.length > 0 && !(leadMayAct && state.told < TOLD)) {
    // One that expires moves the team by itself, and may be answered from elsewhere until then.
    if (operatorPresent || requests.some((request) => request.expiresAt !== null)) return accepted();
    const detail = `waits for ${requests.map((request) => request.id).join(', ')}`;
    return end(state, now, ending('needs_human', null, detail, 'runtime'));
  }
  if (tasks.length === 0) {
    if (requests.length === 0 && state.told >= TOLD) {
      return end(
        state,
        now,
        ending('failed', 'empty_plan', 'no task was ever made and nothing is due', 'runtime'),
      );
    }
    return tell(state, requests.length > 0 ? 'stalled' : 'empty_plan', ids);
  }
  if (open || requests.length > 0) {
    if (state.told < TOLD) return tell(state, 'stalled', ids);
    return end(state, now, ending('stalled', null, diagnosis(state).join('; '), 'runtime'));
  }
  if (tasks.every((task) => task.state.kind === 'completed')) {
    const done = { ...ending('done', null, null, 'runtime'), result: lead?.lastText ?? null };
    return end(state, now, done, gone);
  }
  if (state.told < TOLD) return tell(state, 'unfinished', ids);
  const detail = 'tasks have failed and the lead did not close the team';
  return completed
    ? end(state, now, { ...ending('partial', null, detail, 'runtime'), result: lead?.lastText ?? null }, gone)
    : end(state, now, ending('failed', 'error', 'no task was completed', 'runtime'));
}

/** Whole numbers as they are; of others what a person reads. */
function figure(value: number): number {
  return Number(value.toFixed(4));
}

function tell(state: TeamState, about: 'empty_plan' | 'stalled' | 'unfinished', ids: Numbering): Decision {
  const text = stalledText(state, about, state.told + 1);
  return accepted({ type: 'run.nudged', about, text }, message(ids, 'report', 'runtime', [state.lead], text));
}

function finished({ outcome, result }: Closing): Ending {
  const cause = outcome === 'failed' ? 'lead' : null;
  return { reason: outcome, cause, detail: null, closedBy: 'lead', result };
}

function ending(
  reason: Ending['reason'],
  cause: Ending['cause'],
  detail: string | null,
  closedBy: Ending['closedBy'],
): Ending {
  return { reason, cause, detail, closedBy, result: null };
}

function end(state: TeamState, now: number, how: Ending, gone: readonly MissingArtifact[] = []): Decision {
  return accepted(...endFacts(state, how, now, gone));
}
