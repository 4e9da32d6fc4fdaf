/** What is wrong with the trust files: said in front of everything else, for it may be why nothing counts as approved. */

import type { Finding } from '../shared/findings.js';
import type { House } from './house.js';

/**
 * The findings of a command behind those of the trust files. Asked last, once the command has looked at every file it
 * looks at: trust files are read when the first of these needs a word, and of files that nobody has read nothing is said.
 */
export async function withTrustFindings(
  { trust }: Pick<House, 'trust'>,
  findings: readonly Finding[],
): Promise<Finding[]> {
  return [...(await trust.findings()), ...findings];
}
