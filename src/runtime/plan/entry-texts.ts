/**
 * The texts of the entries of a run, as its record keeps them: each under its digest (spec/skills.md §4 "Integrity").
 *
 * Always true: the digest of every entry is computed again here, from the text that is stored.
 */

import type { LoadedEntry } from '../../events/facts/frozen.js';
import { sha256 } from '../../shared/digest.js';
import { BugError } from '../../shared/errors.js';
import { digestText } from '../../skills/digest.js';
import type { Registry } from '../../skills/registry.js';
import { storedName } from '../../skills/stored-text.js';

/** One text per entry that any of the proofs names. */
export function entryTexts(
  proofs: Iterable<Pick<LoadedEntry, 'kind' | 'name' | 'digest'>>,
  { files }: Pick<Registry, 'files'>,
): readonly string[] {
  const texts = new Map<string, string>();
  for (const file of files) {
    if (file.kind === 'loaded') texts.set(file.entry.digest, digestText(file.entry));
  }
  const stored = new Set<string>();
  for (const { kind, name, digest } of proofs) {
    const text = texts.get(digest);
    if (text === undefined || sha256(text) !== storedName(digest)) {
      throw new BugError('digest-differs', `the digest of ${kind} ${name} is not that of its text`);
    }
    stored.add(text);
  }
  return [...stored];
}
