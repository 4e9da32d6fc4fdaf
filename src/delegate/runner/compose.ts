/**
 * The block of skills that an engineer gets (spec/runner.md §2): what the brief carries, and what this runner adds from
 * the registry of its own package. Additions are add-only: they never replace what was sent, and they are named in
 * everything that the runner says of the brief.
 */

import { sha256 } from '../../shared/digest.js';
import type { Entry } from '../../skills/entry.js';
import { renderDelegatedBlock } from '../../skills/render/delegated-block.js';
import type { Named, Riding } from '../brief/brief.js';
import { arrived, type NotRiding, namedOf, ride } from '../brief/riding.js';

export type Composed =
  | {
      readonly kind: 'composed';
      readonly text: string;
      /** SHA-256 of the block of the brief's own entries, and of `text`; both of the empty text without any. */
      readonly sentBlock: string;
      readonly finalBlock: string;
      /** What the runner has added, sorted by name. */
      readonly additions: readonly Named[];
    }
  | { readonly kind: 'refused'; readonly refusals: readonly NotRiding[] };

/**
 * @param sent as they stand in the brief
 * @param additions entries of this runner; one that the brief carries already, by name, is not added again
 */
export function composeBlock(sent: readonly Riding[], additions: readonly Entry[]): Composed {
  const own = arrived(sent);
  if (own.kind === 'refused') return own;
  const names = new Set(own.entries.map(({ name }) => name));
  const added = ride(additions.filter(({ name }) => !names.has(name)));
  if (added.kind === 'refused') return added;
  const addedEntries = additions.filter(({ name }) => !names.has(name));
  const sentBlock = renderDelegatedBlock(own.entries);
  const finalBlock = renderDelegatedBlock([...own.entries, ...addedEntries]);
  if (sentBlock.kind === 'refused') return sentBlock;
  if (finalBlock.kind === 'refused') return finalBlock;
  return {
    kind: 'composed',
    text: finalBlock.text,
    sentBlock: sha256(sentBlock.text),
    finalBlock: sha256(finalBlock.text),
    additions: added.riding.map(namedOf),
  };
}

/** The digest that the team's side puts into the record when it sends these entries. */
export function blockDigest(entries: readonly Entry[]): string {
  const block = renderDelegatedBlock(entries);
  return sha256(block.kind === 'block' ? block.text : '');
}
