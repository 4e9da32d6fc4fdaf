/** What is said of files that are not used because nobody approved them: one remark a file, in bounded number. */

import { join } from 'node:path';
import type { Finding } from '../../shared/findings.js';
import { type CataloguePlaces, MISSION_TRUST_FILE } from '../tiers.js';
import { toldUnused, UNTRUSTED } from '../trust.js';
import { isThere } from './is-there.js';
import type { Contender } from './shadowing.js';

/**
 * A remark for each file that is not used, in bounded number; whatever has a wanted name is told first.
 * @param wanted keys that the caller is about: a file of that name might have been meant
 */
export function unusedRemarks(files: readonly Contender[], wanted: readonly string[]): readonly Finding[] {
  const remarks = (among: readonly Contender[]): Finding[] =>
    among.flatMap(({ standing }) => (standing.kind === 'unused' ? [standing.remark] : []));
  const isWanted = (file: Contender): boolean => wanted.includes(file.key);
  return toldUnused([
    ...remarks(files.filter(isWanted)),
    ...remarks(files.filter((file) => !isWanted(file))),
  ]);
}

/** The strongest file of a key that might be used if somebody approved it; undefined when there is none. */
export function strongestUnused<T extends Contender>(files: readonly T[], key: string): T | undefined {
  return files
    .filter((file) => file.key === key && file.standing.kind === 'unused')
    .reduce<T | undefined>(
      (best, file) => (best === undefined || file.rank > best.rank ? file : best),
      undefined,
    );
}

/** A trust file speaks for its repository only when the operator named that: a found one is told and not read. */
export async function unusedTrustFile({ mission }: CataloguePlaces): Promise<Finding[]> {
  if (mission === null || mission.named) return [];
  const path = join(mission.path, MISSION_TRUST_FILE);
  if (!(await isThere(path))) return [];
  const message =
    'not used: the trust file of a mission repository counts only when the repository was named';
  const remedy = 'name the repository with --mission-repo, or trust it for good with bnerd trust --repo';
  return [{ code: UNTRUSTED, severity: 'info', path, message, remedy }];
}
