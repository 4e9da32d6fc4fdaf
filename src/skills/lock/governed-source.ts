/** What a governed file in a folder of entries is read as, wherever that folder lies: only its name says something. */

import { basename } from 'node:path';
import type { EntryKind, EntrySource } from '../entry.js';

/**
 * @param folder of the entries, which says what an entry is that does not say it itself (spec/skills.md §1)
 * @param name its directory, or the stem of a flat file
 */
export function governedSource(folder: string, path: string, name: string): EntrySource {
  const kind = kindIn(folder);
  return { path, tier: 'mission', tree: 'bnerd', layout: 'directory', expectedName: name, kind };
}

/** The kind of an entry of this folder that declares none. */
export function kindIn(folder: string): EntryKind {
  return basename(folder) === 'rules' ? 'rule' : 'skill';
}
