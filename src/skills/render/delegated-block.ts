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
import { isSemanticVersion } from '../parse/version.js';
import { BETWEEN_ENTRIES, renderForSystem } from '../render.js';
import { PROVENANCE } from './marks.js';

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
    const provenance = provenanceOf(entry);
    if (typeof provenance === 'string') refusals.push({ name: entry.name, reason: provenance });
    else texts.push(`${comment(provenance)}\n${renderForSystem(entry)}`);
  }
  if (refusals.length > 0) return { kind: 'refused', refusals };
  return { kind: 'block', text: texts.join(BETWEEN_ENTRIES), entries: riding };
}

type Provenance = readonly (readonly [key: string, value: string])[];

/** What the comment says, or why there can be none. */
function provenanceOf(entry: Entry): Provenance | string {
  const { name, version, origin, license, upstream } = entry;
  if (version === null || !isSemanticVersion(version)) return 'it has no semantic version';
  const common = [['skill', name] as const, ['version', version] as const];
  if (origin === 'proprietary') {
    if (license !== null || upstream !== null) return 'it is proprietary and names a licence or a source';
    return safe([...common, ['origin', origin]]);
  }
  if (origin !== 'third-party') return 'its origin is neither proprietary nor third-party';
  if (license === null || upstream === null) return 'it is third-party and does not name licence and source';
  return safe([...common, ['origin', origin], ['license', license], ['upstream', upstream]]);
}

function safe(provenance: Provenance): Provenance | string {
  const bad = provenance.find(([, value]) => BREAKS_COMMENT.test(value));
  return bad === undefined
    ? provenance
    : `its ${bad[0]} could be read as the end of the comment or another value`;
}

/** Line breaks, control characters, the end of a comment in either form, the end of a value. */
const BREAKS_COMMENT = /[\p{Cc}\u2028\u2029]|--!?>|;(?:\s|$)|^\s|\s$|^$/u;

function comment(provenance: Provenance): string {
  return (
    PROVENANCE.opens + provenance.map(([key, value]) => `${key}=${value}`).join('; ') + PROVENANCE.closes
  );
}
