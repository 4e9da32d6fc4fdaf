/** The trust file of an operator in a test: real approvals in a real file, given and taken back while a team runs. */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { ownTrustFile } from '../../src/catalog/tiers.js';
import type { TrustQuestion } from '../../src/catalog/trust.js';

const AT = '2026-01-01T00:00:00.000Z';

export interface TrustWords {
  readonly approved: readonly TrustQuestion[];
  readonly revoked?: readonly (Partial<TrustQuestion> & { readonly revoker?: string })[];
  /** Repositories that are trusted for good, and those that are not any more. */
  readonly places?: readonly TrustedPlace[];
  readonly revokedPlaces?: readonly TrustedPlace[];
}

export interface TrustedPlace {
  readonly path: string;
  readonly root_commit: string;
}

/** Puts a trust file in the place of the one there is, at once, as `bnerd trust` does. */
export async function writeTrust(home: string, words: TrustWords): Promise<string> {
  const path = ownTrustFile(home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = join(dirname(path), 'trust.part');
  await writeFile(part, trustText(words), { mode: 0o600 });
  await rename(part, path);
  return path;
}

/** The text of such a file. */
export function trustText({ approved, revoked = [], places = [], revokedPlaces = [] }: TrustWords): string {
  return stringify({
    version: 1,
    files: approved.map((question) => ({ ...question, approver: 'ann', at: AT })),
    places: places.map((place) => ({ ...place, approver: 'ann', at: AT })),
    revoked: {
      files: revoked.map((question) => ({ revoker: 'bob', ...question, at: AT })),
      places: revokedPlaces.map((place) => ({ ...place, revoker: 'bob', at: AT })),
    },
  });
}
