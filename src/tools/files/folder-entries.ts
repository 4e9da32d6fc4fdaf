/** Entries of an open directory, bounded and in one order on every machine; links are told apart, not followed. */

import { opendir } from 'node:fs/promises';
import type { EntryKind } from './confinement.js';
import { entryKind } from './confinement.js';
import type { Directory } from './descriptor-walk.js';

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface FolderEntries {
  readonly entries: readonly FolderEntry[];
  /** There are more than were read. */
  readonly cut: boolean;
}

/** At most `max` entries, sorted by code unit. A directory that was moved away meanwhile has none. */
export async function folderEntries(directory: Directory, max: number): Promise<FolderEntries> {
  const entries: FolderEntry[] = [];
  let cut = false;
  for await (const entry of await opendir(directory.entry('.'), { bufferSize: 256 })) {
    cut = entries.length >= max;
    if (cut) break;
    entries.push({ name: entry.name, kind: entryKind(entry) });
  }
  if (!(await directory.unmoved())) return { entries: [], cut: false };
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), cut };
}
