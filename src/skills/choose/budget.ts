/**
 * What of the reference text fits (spec/skills.md §6).
 *
 * Always true:
 * - The bound is on the assembled block, introduction and fence included; exactly at it everything is kept.
 * - An entry that is too large for the bound by itself is left out first: it could never be kept, and takes nothing
 *   else with it. Then entries of tasks go before entries of roles, and within a level the largest goes first, of
 *   equals the later in order, until the rest fits.
 * - Each entry is rendered once, whatever is dropped.
 */

import { compareEntries, entryIdentity } from '../composition-order.js';
import type { Entry } from '../entry.js';
import {
  BETWEEN_ENTRIES,
  type BundlePathOf,
  inReferenceBlock,
  OUT_OF_REACH,
  renderForSystem,
} from '../render.js';

/** A reference entry, and who named it. */
export interface Candidate {
  readonly entry: Entry;
  readonly level: 'role' | 'task';
}

export interface FittedBlock {
  /** In the order they stand in the block, each entry once: named by a role and by a task, it counts as the role's. */
  readonly kept: readonly Candidate[];
  /** In the order they were dropped; `bytes` of the entry alone. */
  readonly omitted: readonly (Candidate & { readonly bytes: number })[];
  /** The assembled block of those kept (`renderReferenceBlock`), of at most `maxBytes`; empty for none. */
  readonly block: string;
}

/**
 * Drops entries until the assembled block has at most `maxBytes` bytes. Pure; candidates in any order.
 * @param bundlePathOf as in `renderReferenceBlock`
 */
export function fitBudget(
  candidates: readonly Candidate[],
  maxBytes: number,
  bundlePathOf: BundlePathOf = OUT_OF_REACH,
): FittedBlock {
  const all = onceEach(candidates).map((candidate) => measured(candidate, bundlePathOf));
  const frameBytes = Buffer.byteLength(inReferenceBlock(['']));
  const fitsAlone = (one: Measured): boolean => frameBytes + one.bytes <= maxBytes;
  const omitted = all.filter((one) => !fitsAlone(one)).sort(byTheirTurnToGo);
  const waiting = all.filter(fitsAlone).sort(byTheirTurnToGo);
  let bytes = frameBytes - BETWEEN_ENTRIES.length;
  for (const one of waiting) bytes += BETWEEN_ENTRIES.length + one.bytes;
  const drop = (): void => {
    const one = waiting.shift();
    if (one === undefined) return;
    bytes -= BETWEEN_ENTRIES.length + one.bytes;
    omitted.push(one);
  };
  while (waiting.length > 0 && bytes > maxBytes) drop();
  let block = assembled(waiting);
  // A fence grows by some digits when the text holds its token; nobody has made one that does.
  while (Buffer.byteLength(block) > maxBytes) {
    drop();
    block = assembled(waiting);
  }
  return {
    kept: waiting.sort(byOrder).map(({ entry, level }) => ({ entry, level })),
    omitted: omitted.map(({ entry, level, bytes: size }) => ({ entry, level, bytes: size })),
    block,
  };
}

interface Measured extends Candidate {
  readonly text: string;
  readonly bytes: number;
}

function measured(candidate: Candidate, bundlePathOf: BundlePathOf): Measured {
  const text = renderForSystem(candidate.entry, bundlePathOf(candidate.entry));
  return { ...candidate, text, bytes: Buffer.byteLength(text) };
}

function onceEach(candidates: readonly Candidate[]): Candidate[] {
  const chosen = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const identity = entryIdentity(candidate.entry);
    if (!chosen.has(identity) || candidate.level === 'role') chosen.set(identity, candidate);
  }
  return [...chosen.values()];
}

/** The first goes first. */
function byTheirTurnToGo(left: Measured, right: Measured): number {
  if (left.level !== right.level) return left.level === 'task' ? -1 : 1;
  return right.bytes - left.bytes || byOrder(right, left);
}

function byOrder(left: Candidate, right: Candidate): number {
  return compareEntries(left.entry, right.entry);
}

function assembled(kept: readonly Measured[]): string {
  return kept.length === 0 ? '' : inReferenceBlock([...kept].sort(byOrder).map(({ text }) => text));
}
