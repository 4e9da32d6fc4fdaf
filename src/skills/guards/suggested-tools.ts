/**
 * `metadata.suggested-tools` (spec/skills.md §1, §4): tools that an entry would like its reader to have. One that is
 * not there is worth a warning and never a failure, for a skill may be published before its tools are.
 */

import type { Finding } from '../../shared/findings.js';
import { isObject } from '../../shared/is-object.js';
import type { Entry } from '../entry.js';
import { quoted } from '../remark.js';

/** The names an entry suggests: a list, or text split at blanks and commas. */
export function suggestedTools({ data }: Pick<Entry, 'data'>): readonly string[] {
  const { metadata } = data;
  const written = isObject(metadata) ? metadata['suggested-tools'] : undefined;
  const names: readonly unknown[] =
    typeof written === 'string' ? written.split(/[\s,]+/) : Array.isArray(written) ? written : [];
  return [...new Set(names.filter((name) => typeof name === 'string' && name.trim() !== '').map(String))];
}

/**
 * A warning on each suggested tool that is not there.
 * @param isKnown whether a tool of this name exists
 */
export function unresolvedSuggestions(
  entry: Pick<Entry, 'data' | 'path'>,
  isKnown: (name: string) => boolean,
): readonly Finding[] {
  return suggestedTools(entry)
    .filter((name) => !isKnown(name))
    .map((name) => ({
      code: 'suggested-tool-unknown',
      severity: 'warning',
      path: entry.path,
      message: `metadata.suggested-tools names ${quoted(name)}, which is no tool here`,
      remedy: 'mend the name, or leave it for when the tool is there',
    }));
}
