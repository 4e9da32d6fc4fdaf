/** What became of a file that was looked at: loaded, repaired or refused, told from what was found. */

import type { Finding } from '../../shared/findings.js';

/** Exactly one of them for every file. Repaired: usable, with some of its frontmatter read literally. */
export type FileOutcome = 'loaded' | 'repaired' | 'refused';

/**
 * The outcome of one file.
 * @param findings all that were found, those of other files among them
 */
export function fileOutcome(path: string, findings: readonly Finding[]): FileOutcome {
  const own = findings.filter((finding) => finding.path === path);
  if (own.some(({ severity }) => severity === 'error')) return 'refused';
  return own.some(({ code }) => code === 'repaired-frontmatter') ? 'repaired' : 'loaded';
}
