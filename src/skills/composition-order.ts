/**
 * The order of every composition (spec/skills.md §5): rules, then skills, each in byte order of name. Whatever
 * order entries were found, listed or loaded in, the bytes of a prompt are the same.
 */

import { compareBytes } from './byte-order.js';
import type { Entry, EntryKind } from './entry.js';

const PLACE: Readonly<Record<EntryKind, number>> = { rule: 0, skill: 1 };

/** Negative, zero or positive: where two entries stand to one another. Of one name, the digest decides. */
export function compareEntries(left: Entry, right: Entry): number {
  return PLACE[left.kind] - PLACE[right.kind] || compareNames(left, right);
}

/** The same without regard to the kind, where rules and skills stand together. */
export function compareNames(left: Entry, right: Entry): number {
  return compareBytes(left.name, right.name) || compareBytes(left.digest, right.digest);
}

/** The entries in the order they are composed; each stays as often as it was given. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  return [...entries].sort(compareEntries);
}

/** Two entries with the same are one: kind, name and text. */
export function entryIdentity({ kind, name, digest }: Entry): string {
  return JSON.stringify([kind, name, digest]);
}

/** An entry that was given twice, by whatever way, once. */
export function eachOnce(entries: readonly Entry[]): Entry[] {
  const first = new Map<string, Entry>();
  for (const entry of entries) {
    const identity = entryIdentity(entry);
    if (!first.has(identity)) first.set(identity, entry);
  }
  return [...first.values()];
}
