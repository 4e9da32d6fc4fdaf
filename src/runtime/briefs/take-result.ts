/**
 * Takes a result out of a runner's outbox into the record (spec/runner.md §3 "Report"): the one way, for a runner that lives
 * and for one that has died.
 *
 *  T1 checked first: signed by the runner of this run, of this brief and its attempt; what is not is kept as evidence and
 *     counts as no result;
 *  T2 its commits lie in the workspace repository before the entry that says so, and the entry is there before the result
 *     leaves the outbox: a process that dies between any two of them does the rest when it comes again, once;
 *  T3 what could not be delivered is not acknowledged to its runner, which keeps it: the only copy of work is never removed;
 *  T4 nobody asked for its end, and it was called off: its runner has lost whoever gave it the brief. Such a brief is lost;
 *  T5 a disk that is full or a lock that somebody holds may pass: then delivery is tried again, a few times, before the
 *     brief fails for it;
 *  T6 a brief that was called off leaves no branch behind, also where the wish came while its commits were on their way.
 */

import type { Result } from '../../delegate/brief/result.js';
import type { Deliveries } from '../../delegate/deliver/deliver.js';
import type { Outbox, Waiting } from '../../delegate/runner/outbox.js';
import type { Blobs } from '../../events/record.js';
import { sleep } from '../../shared/abort.js';
import { type AcceptedKey, checkSignature } from '../../shared/signature.js';
import type { TeamStore } from '../../state/team-store.js';
import { mayBeAdopted } from '../../team/brief.js';
import type { Command, Delivery } from '../../team/command.js';
import type { TeamState } from '../../team/show/view.js';

export interface TakingParts {
  readonly team: string;
  readonly workspace: string;
  readonly outbox: Outbox;
  /** Public keys of the runners whose results count, as they are now. */
  runners(): Promise<readonly AcceptedKey[]>;
  readonly store: TeamStore;
  readonly blobs: Blobs;
  readonly deliveries: Deliveries;
  /** How long is waited before each further try to deliver, in milliseconds. */
  readonly deliverAgainMs: Iterable<number>;
  /** The bytes of a file of the workspace, or of a commit; null where there is none. */
  fileBytes(path: string, head: string | null): Promise<number | null>;
}

export type Taken =
  /** It is in the record, or can never be: it may go. */
  | { readonly kind: 'taken' }
  /** It is in the record, and its commits are not in the workspace: what the runner has of them stays, for people. */
  | { readonly kind: 'undelivered' }
  /** It is in the record as evidence, came too late, and may be adopted: it stays where it is. */
  | { readonly kind: 'late' }
  /** There is none that counts; `detail` says what there was, which is kept as evidence and may go. */
  | { readonly kind: 'none'; readonly detail: string | null }
  /** What lies there cannot be read, and stays for people. */
  | { readonly kind: 'damaged'; readonly detail: string }
  /** It could not be taken in now; it stays where it is. */
  | { readonly kind: 'later'; readonly detail: string };

/** Whether the record has the result: it may go from the outbox, with what the runner keeps of its work or without. */
export function isRecorded(taken: Taken): taken is Extract<Taken, { kind: 'taken' | 'undelivered' }> {
  return taken.kind === 'taken' || taken.kind === 'undelivered';
}

/** A result of this brief, by its runner, with its text in the record. */
export interface Checked {
  readonly kind: 'checked';
  readonly waiting: Waiting;
  /** SHA-256 of the stored text. */
  readonly stored: string;
}

/** Takes the result of one brief. Rejects when the record takes nothing more. */
export async function takeResult(parts: TakingParts, brief: string, signal: AbortSignal): Promise<Taken> {
  const checked = await checkedResult(parts, brief);
  if (checked.kind !== 'checked') return checked;
  const { waiting, stored } = checked;
  const { result } = waiting;
  const { status } = parts.store.state.briefs.get(brief) ?? {};
  const asked = status?.kind !== 'sent' && status?.kind !== 'running';
  if (!asked && (result.status === 'cancelled' || result.status === 'lost')) {
    const detail = result.detail ?? 'its runner was left alone';
    await witness(parts, brief, 'left_alone', detail, stored);
    return { kind: 'none', detail };
  }
  const delivery = asked ? NOTHING : await deliver(parts, waiting, signal);
  if (delivery.kind === 'later') return delivery;
  await parts.store.send(endId(brief, stored), await endOf(parts, brief, checked, delivery));
  const { state } = parts.store;
  const known = state.briefs.get(brief);
  await takeBack(parts, waiting, signal);
  if (known !== undefined && known.late === stored && mayBeAdopted(state, known, result.status))
    return { kind: 'late' };
  return { kind: delivery.kind === 'failed' ? 'undelivered' : 'taken' };
}

/** What waits of a brief, once it was looked at (T1). */
export async function checkedResult(
  parts: TakingParts,
  brief: string,
): Promise<Checked | Extract<Taken, { kind: 'none' | 'damaged' }>> {
  const read = await parts.outbox.read(brief);
  if (read.kind === 'none') return { kind: 'none', detail: null };
  if (read.kind === 'damaged') return { kind: 'damaged', detail: read.finding.message };
  const { waiting } = read;
  const stored = await parts.blobs.put(waiting.text);
  const wrong = notOfBrief(parts, brief, waiting.result, await parts.runners());
  if (wrong === null) return { kind: 'checked', waiting, stored };
  await witness(parts, brief, wrong.code, wrong.detail, stored);
  return { kind: 'none', detail: wrong.detail };
}

/** The id of the word that a brief has this result, whoever says it. */
export function endId(brief: string, stored: string): string {
  return `brief/${brief}/end/${stored.slice(0, 16)}`;
}

/** That word, with what is looked up for it. */
export async function endOf(
  parts: TakingParts,
  brief: string,
  { waiting, stored }: Checked,
  delivery: Delivery,
): Promise<Extract<Command, { kind: 'brief.end' }>> {
  const head = delivery.kind === 'delivered' ? delivery.head : null;
  return {
    kind: 'brief.end',
    brief,
    text: stored,
    result: waiting.result,
    delivery,
    missingArtifacts: await missingOf(parts, brief, head),
  };
}

const NOTHING: Delivery = { kind: 'nothing' };

/** Why a result is not that of the brief (T1); null: it is. */
function notOfBrief(
  { team, store }: TakingParts,
  brief: string,
  result: Result,
  runners: readonly AcceptedKey[],
): { readonly code: string; readonly detail: string } | null {
  const verdict = checkSignature('result', result, runners);
  if (verdict.kind === 'refused') return { code: verdict.code, detail: verdict.message };
  const { sent } = store.state.briefs.get(brief) ?? {};
  if (sent === undefined) return null; // the core says so, and keeps it
  const right: Readonly<Partial<Record<keyof Result, unknown>>> = {
    brief: sent.brief,
    team,
    task: sent.task,
    attempt: sent.attempt,
    offer: sent.offer,
    base: sent.base,
    branch: sent.branch,
  };
  const other = Object.entries(right).find(([field, value]) => result[field as keyof Result] !== value);
  if (other === undefined) return null;
  const [field, value] = other;
  const found = String(result[field as keyof Result]);
  return { code: 'other_brief', detail: `the result says ${field} ${found}, the brief ${String(value)}` };
}

/** The commits into the workspace (T2), again after a while where what hindered it may pass (T5). */
async function deliver(
  parts: TakingParts,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Delivery | Extract<Taken, { kind: 'later' }>> {
  for (const wait of parts.deliverAgainMs) {
    const tried = await tryDelivery(parts, waiting, signal);
    if (tried.kind !== 'passing') return tried;
    try {
      await sleep(wait, signal);
    } catch {
      return { kind: 'later', detail: tried.detail };
    }
  }
  return deliverOnce(parts, waiting, signal);
}

/** The commits into the workspace, or why they are not there. */
export async function deliverOnce(
  parts: TakingParts,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Delivery | Extract<Taken, { kind: 'later' }>> {
  const tried = await tryDelivery(parts, waiting, signal);
  return tried.kind === 'passing' ? notDelivered(waiting.result.brief, tried.detail) : tried;
}

/** What of a brief that was called off lies in the workspace (T6): no other offer of its attempt has delivered it. */
async function takeBack(
  { store, workspace, deliveries }: TakingParts,
  { result }: Waiting,
  signal: AbortSignal,
): Promise<void> {
  const { brief, branch, head } = result;
  const { status } = store.state.briefs.get(brief) ?? {};
  if (head === null || status?.kind !== 'ended' || status.status !== 'cancelled') return;
  if (taskOf(store.state, brief)?.delivered?.branch === branch) return;
  await deliveries.takeBack({ workspace, branch, head }, signal);
}

async function tryDelivery(
  { workspace, deliveries }: TakingParts,
  { result, bundle }: Waiting,
  signal: AbortSignal,
): Promise<
  Delivery | Extract<Taken, { kind: 'later' }> | { readonly kind: 'passing'; readonly detail: string }
> {
  const { brief, base, head, branch, commits } = result;
  if (head === null) return NOTHING;
  if (bundle === null) return result.pushed ? pushed(result) : NOTHING;
  const delivery = await deliveries.deliver({ workspace, bundle, base, head, branch }, signal);
  switch (delivery.kind) {
    case 'delivered':
      return { kind: 'delivered', branch, head, commits: commits.length };
    case 'refused':
      return notDelivered(brief, delivery.detail);
    case 'failed':
      return { kind: delivery.cause === 'cancelled' ? 'later' : 'passing', detail: delivery.detail };
  }
}

/** Its runner was told by nobody here to push, so where it has done so is not known here. */
function pushed({ branch, head }: Result): Delivery {
  return {
    kind: 'failed',
    detail: `its runner has pushed ${branch} at ${head ?? 'nothing'} and left no bundle; a team takes in bundles: fetch the branch yourself`,
  };
}

function notDelivered(brief: string, why: string): Delivery {
  return { kind: 'failed', detail: `${why}; they are kept in the run folder, in runner/briefs/${brief}` };
}

/** Artifacts of the task that lie neither in the workspace nor in what was delivered. */
async function missingOf(
  { store, fileBytes }: TakingParts,
  brief: string,
  head: string | null,
): Promise<readonly string[]> {
  const task = taskOf(store.state, brief);
  const missing: string[] = [];
  for (const path of task?.spec.artifacts ?? [])
    if ((await fileBytes(path, head)) === null) missing.push(path);
  return missing;
}

function taskOf({ briefs, tasks }: TeamState, brief: string) {
  const { sent } = briefs.get(brief) ?? {};
  return sent === undefined ? undefined : tasks.get(sent.task);
}

async function witness(
  { store }: TakingParts,
  brief: string,
  code: string,
  detail: string,
  result: string,
): Promise<void> {
  const id = `brief/${brief}/witness/${result.slice(0, 16)}`;
  await store.send(id, { kind: 'brief.witness', brief, code, detail, result });
}
