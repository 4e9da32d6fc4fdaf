/**
 * Whether the trust files may say something else than before, at the price of a look at each: for those who ask again
 * and again during a run (spec/skills.md §4: a revocation reaches live teams).
 *
 * Always true: when a file was put in place, taken away, written or made writable for others, the stamp differs. The
 * trust file of a mission repository counts as of one commit and cannot change.
 */

import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../shared/errors.js';
import type { TrustSources } from './read-trust-files.js';

/** Equal stamps: nothing has changed since. A look at the own file, its folder and each file that was named; nothing is read. */
export async function trustStamp({ own, extra }: Pick<TrustSources, 'own' | 'extra'>): Promise<string> {
  const paths = [dirname(own), own, ...extra];
  const parts = await Promise.all(
    paths.map((path, at) =>
      // A link is refused in the place of the own file: what lies there counts, not where it leads.
      (at === 1 ? lstat : stat)(path, { bigint: true }).then(
        (stats) => (at === 0 ? folderPart(stats) : filePart(stats)),
        (error: unknown) => systemCode(error) ?? 'unknown',
      ),
    ),
  );
  return parts.join(' ');
}

/** What else happens in the folder is not about trust. */
function folderPart({ dev, ino, mode, uid }: BigIntStats): string {
  return [dev, ino, mode, uid].join('-');
}

/** A file that was put in place by a rename has another number, one that was written to another time of change. */
function filePart({ dev, ino, mode, uid, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, uid, size, mtimeNs, ctimeNs].join('-');
}
