/** Words for scripts of whole teams: the calls that members make, put together to steps and turns. */

import { expect } from 'vitest';
import type { Fact } from '../../src/events/event.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import { fold } from '../../src/state/team-store.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { emptyState, type TeamState } from '../../src/team/state.js';
import { brokenIn, Watch } from '../team/walks/invariants.js';

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Step {
  /** Said only when all of them are heard, else passed over. */
  readonly when?: readonly string[];
  readonly expect?: readonly string[];
  readonly capture?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly delay_ms?: number;
  readonly fail?: { readonly kind: 'fatal'; readonly code: string; readonly message: string } | PassingFail;
}

export interface PassingFail {
  readonly kind: 'rate_limited' | 'unavailable';
  readonly message: string;
  readonly retry_after_ms?: number;
  readonly times?: number;
}

export interface Turn {
  readonly await?: readonly string[];
  readonly steps: readonly Step[];
}

/** What a model says: a text, calls, or both. */
export function says(text: string): Step {
  return { text };
}

export function does(...calls: readonly Call[]): Step {
  return { calls };
}

/** The step, played only when every regex fits what the model was sent since its last answer. */
export function hearing(expected: string | readonly string[], step: Step): Step {
  return { ...step, expect: [expected].flat() };
}

/** A turn that begins when every regex has been heard; '' begins at once. */
export function when(awaited: string | readonly string[], ...steps: readonly Step[]): Turn {
  const heard = [awaited].flat().filter((regex) => regex !== '');
  return heard.length === 0 ? { steps } : { await: heard, steps };
}

export const claim = (task: string): Call => ({ tool: 'team_task_claim', args: { task } });
export const complete = (task: string, more: Readonly<Record<string, unknown>> = {}): Call => ({
  tool: 'team_task_complete',
  args: { task, summary: `${task} is done.`, ...more },
});
export const block = (task: string, detail: string): Call => ({
  tool: 'team_task_block',
  args: { task, reason: 'needs_input', detail },
});
export const mailTo = (to: string, message: string): Call => ({
  tool: 'team_send_message',
  args: { to, message },
});
export const create = (...tasks: readonly Readonly<Record<string, unknown>>[]): Call => ({
  tool: 'team_task_create',
  args: { tasks },
});
export const update = (task: string, change: Readonly<Record<string, unknown>>): Call => ({
  tool: 'team_task_update',
  args: { task, ...change },
});
export const list = (): Call => ({ tool: 'team_task_list', args: {} });
export const spawn = (role: string): Call => ({ tool: 'team_spawn', args: { role } });
export const ask = (question: string): Call => ({ tool: 'ask_question', args: { question } });
export const shell = (command: string): Call => ({ tool: 'shell_exec', args: { command } });
export const write = (path: string, content: string): Call => ({
  tool: 'fs_write_file',
  args: { path, content },
});
export const finish = (outcome: 'done' | 'partial' | 'failed' = 'done'): Step =>
  does({ tool: 'team_finish', args: { outcome, result: 'All is said.' } });

/** A member that takes one task, does what it takes and reports it. */
export function works(task: string, ...steps: readonly Step[]): Turn {
  return when(
    `Task ${task} is ready`,
    does(claim(task)),
    ...steps,
    does(complete(task)),
    says(`${task} done.`),
  );
}

/** The digest of the evidence, as a reviewer is told it. */
export const TOLD_DIGEST = '"evidence_digest":"([0-9a-f]{64})"';

/** The call that gives a verdict under the digest that the script has captured. */
export const judges = (
  task: string,
  verdict: 'approve' | 'request_changes',
  more: Readonly<Record<string, unknown>> = {},
): Call => ({ tool: 'team_review', args: { task, verdict, evidence_digest: '{{digest}}', ...more } });

/**
 * A member that gives one verdict on what it is asked to review, under the digest it was told.
 * @param awaited what it waits for; its mail tells the digest
 */
export function reviews(
  task: string,
  verdict: 'approve' | 'request_changes',
  more: Readonly<Record<string, unknown>> = {},
  awaited = `${task}, attempt \\d+ by [\\w-]+, waits for your review`,
): Turn {
  return when(
    awaited,
    { capture: { digest: TOLD_DIGEST }, ...does(judges(task, verdict, more)) },
    says(`My verdict on ${task} is given.`),
  );
}

/** The state right behind the entry that holds the first fact of which `fits` is true. */
export function stateBehind(entries: readonly LogEntry[], fits: (fact: Fact) => boolean): TeamState {
  const place = entries.findIndex((entry) => entry.facts.some(fits));
  expect(place, 'such a fact was recorded').not.toBe(-1);
  return fold(entries.slice(0, place + 1));
}

/** What is always true (spec/invariants.md), behind each entry of what processes of one team have recorded. */
export function expectInvariants(...runs: readonly { readonly entries: readonly LogEntry[] }[]): void {
  const watch = new Watch();
  let state = emptyState();
  for (const entry of runs.flatMap((run) => run.entries)) {
    watch.see(entry.facts);
    state = evolveEntry(state, entry);
    expect(brokenIn(state, entry.at), `behind fact ${state.next - 1}`).toEqual([]);
  }
  expect(watch.broken).toEqual([]);
}
