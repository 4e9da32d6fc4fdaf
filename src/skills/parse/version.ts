/** Versions of entries: strict semantic versions, at most 64 characters (spec/skills.md §1). */

import valid from 'semver/functions/valid.js';
import { BOUNDS } from '../entry.js';

/** True for `1.2.3`, `1.2.3-rc.1`, `1.2.3+build`; false for `v1.2.3`, `1.2`, and anything longer than the bound. */
export function isSemanticVersion(text: string): boolean {
  // semver itself accepts a leading `v` or `=`, which would make two spellings of one version.
  return text.length <= BOUNDS.versionCharacters && /^\d\S*$/.test(text) && valid(text) !== null;
}
