/**
 * A result that came when its brief had been given up, made ready to be adopted (spec/runner.md §3 "Cancel"): looked at as any
 * result is, its commits taken into the workspace. Whether it counts, the core decides.
 *
 * Always true: its commits are taken in only when nothing that can be known before speaks against it; it stays in the outbox
 * until the record says that it was adopted.
 */

import type { CheckedResult } from '../../team/command.js';
import { notAdoptable } from '../../team/decide/brief-adopt.js';
import { checkedResult, deliverOnce, endOf, type TakingParts } from './take-result.js';

export type LateResult =
  | { readonly kind: 'result'; readonly checked: CheckedResult }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/**
 * Makes the late result of a brief ready.
 * @param word the brief's id, whole or without the team
 */
export async function lateResult(parts: TakingParts, word: string, signal: AbortSignal): Promise<LateResult> {
  const { team, store, outbox } = parts;
  const brief = store.state.briefs.get(word) ?? store.state.briefs.get(`${team}.${word}`);
  const task = brief === undefined ? undefined : store.state.tasks.get(brief.sent.task);
  if (brief === undefined || task === undefined) {
    const known = [...store.state.briefs.keys()].join(', ');
    return refused('unknown_brief', `no brief ${word} was sent; sent were ${known === '' ? 'none' : known}`);
  }
  const id = brief.sent.brief;
  const unfit = notAdoptable(store.state, brief, task);
  if (unfit !== undefined) return refused(unfit.code, unfit.message);
  const checked = await checkedResult(parts, id);
  if (checked.kind === 'none')
    return refused(
      'no_late_result',
      checked.detail ?? `no result of brief ${id} has come (${outbox.path(id)})`,
    );
  if (checked.kind === 'damaged') return refused('no_late_result', checked.detail);
  const { waiting } = checked;
  // What is no success is taken in by nobody: the core says why it does not count.
  const delivery: Awaited<ReturnType<typeof deliverOnce>> =
    waiting.result.status === 'completed' ? await deliverOnce(parts, waiting, signal) : { kind: 'nothing' };
  if (delivery.kind === 'later') return refused('not_delivered', delivery.detail);
  return { kind: 'result', checked: withoutKind(await endOf(parts, id, checked, delivery)) };
}

function withoutKind({ kind: _, ...checked }: { readonly kind: string } & CheckedResult): CheckedResult {
  return checked;
}

function refused(code: string, message: string): LateResult {
  return { kind: 'refused', code, message };
}
