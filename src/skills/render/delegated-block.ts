/**
 * The entries of a delegated engineer, as they ride a brief (runner.md §2): each behind one comment that says where
 * its knowledge comes from, so that a transcript shows what was injected.
 *
 * Always true: only entries whose version and origin are known ride; a value that could end its comment, or be read
 * as two, is refused here as it is at load. Sorted by name, rules and skills together; the same set gives the same
 * bytes on every machine.
 */

import { compareNames, eachOnce } from '../composition-order.js';
import type { Entry } from '../entry.js';
import { BETWEEN_ENTRIES, renderForSystem } from '../render.js';
import { provenanceLine } from './provenance.js';

/** The block, or who may not ride and why; then nothing is composed. */
export type DelegatedBlock =
  | {
      readonly kind: 'block';
      readonly text: string;
      /** In the order of the block, each once. */
      readonly entries: readonly Entry[];
    }
  | {
      readonly kind: 'refused';
      readonly refusals: readonly { readonly name: string; readonly reason: string }[];
    };

/** The block of these entries; empty text for none. */
export function renderDelegatedBlock(entries: readonly Entry[]): DelegatedBlock {
  const refusals: { name: string; reason: string }[] = [];
  const texts: string[] = [];
  const riding = eachOnce(entries).sort(compareNames);
  for (const entry of riding) {
    const provenance = provenanceLine(entry);
    if (provenance.kind === 'refused') refusals.push({ name: entry.name, reason: provenance.reason });
    else texts.push(`${provenance.text}\n${renderForSystem(entry)}`);
  }
  if (refusals.length > 0) return { kind: 'refused', refusals };
  return { kind: 'block', text: texts.join(BETWEEN_ENTRIES), entries: riding };
}
