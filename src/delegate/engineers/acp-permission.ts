/**
 * What an agent is answered that asks over ACP whether it may do something (case E111). Nobody sits there to be asked, so
 * it is answered at once, by the safety of the brief: once, never for good, and never with what was not offered. What
 * cannot be told is rejected.
 */

import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { SafetyMode } from '../brief/brief.js';
import type { Said } from './said.js';

/** A call of one of the agent's tools, as far as it was told. */
export interface AcpCall {
  readonly title: string;
  /** ACP's kind of tool; null: it was not told. */
  readonly kind: string | null;
  /** Files that it says it is about. */
  readonly paths: readonly string[];
}

export type Verdict =
  | { readonly kind: 'allow' }
  /** @property why in words for the transcript */
  | { readonly kind: 'reject'; readonly why: string };

const LOOKING = ['read', 'search', 'think'];
const CHANGING = ['edit', 'move'];
const POWERFUL = ['delete', 'execute', 'fetch', 'switch_mode', 'other'];
const KNOWN = new Set([...LOOKING, ...CHANGING, ...POWERFUL]);

/** Whether the brief lets it do that. What it says of the call is taken at its word: what it did is looked at afterwards. */
export function verdictOn(call: AcpCall, safety: SafetyMode, tree: string): Verdict {
  const { kind, paths } = call;
  if (kind === null || !KNOWN.has(kind)) return reject('it is of no kind that is known here');
  if (safety === 'full' || kind === 'think') return { kind: 'allow' };
  const outside = paths.find((path) => !liesIn(tree, path));
  if (LOOKING.includes(kind))
    return outside === undefined ? { kind: 'allow' } : reject('a file lies outside of the repository');
  if (!CHANGING.includes(kind)) return reject(`"${safety}" does not allow ${kind}`);
  if (safety === 'read-only') return reject('"read-only" allows no change');
  if (paths.length === 0) return reject('it does not say which files it changes');
  if (outside !== undefined) return reject('a file lies outside of the repository');
  return paths.some((path) => liesIn(resolve(tree, '.git'), path))
    ? reject('a file is of the git directory')
    : { kind: 'allow' };
}

/**
 * The answer in the words of the protocol: one of the options that were offered.
 * @param options as the agent has sent them
 */
export function outcomeOf(
  options: readonly Said[],
  verdict: Verdict,
): { readonly outcome: Outcome; readonly verdict: Verdict } {
  const option = (kind: string): string | null =>
    options.find((each) => each.text('kind') === kind)?.text('optionId') ?? null;
  const once = verdict.kind === 'allow' ? option('allow_once') : null;
  if (once !== null) return { outcome: { outcome: 'selected', optionId: once }, verdict };
  const rejected = option('reject_once') ?? option('reject_always');
  return {
    outcome: rejected === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: rejected },
    verdict: verdict.kind === 'allow' ? reject('it offers no way to allow it once') : verdict,
  };
}

type Outcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

function reject(why: string): Verdict {
  return { kind: 'reject', why };
}

function liesIn(folder: string, path: string): boolean {
  const inner = relative(folder, resolve(folder, path));
  return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
}
