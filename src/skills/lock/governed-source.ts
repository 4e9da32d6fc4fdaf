/** What a governed file in a folder of entries is read as, wherever that folder lies: nothing of it depends on the tier. */

import type { EntrySource } from '../entry.js';

/** @param name its directory, or the stem of a flat file */
export function governedSource(path: string, name: string): EntrySource {
  return { path, tier: 'mission', tree: 'bnerd', layout: 'directory', expectedName: name, kind: 'skill' };
}
