/** Trust in a repository for good, given and taken back: by its real path and its root commit (spec/team.md §1). */

import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { OpenTrust } from '../../catalog/trust/open-trust.js';
import { rootCommits } from '../../catalog/trust/repository-facts.js';
import { isoStamp } from '../../shared/clock.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { gitDirectory } from '../../shared/git-directory.js';
import type { House } from '../house.js';
import { changeOwnTrust, type TrustChanged } from './own-trust.js';

export interface TrustPlace {
  /** Real path of the root of the repository. */
  readonly path: string;
  readonly rootCommit: string;
}

export type PlaceFound =
  | { readonly kind: 'found'; readonly place: TrustPlace }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * The repository around a path. Refused where there is none, or where no root commit is known: without it anything
 * that lies at the path later would be trusted too.
 * @param typed null: the working directory
 */
export async function placeOf(house: House, typed: string | null): Promise<PlaceFound> {
  const from = resolve(house.workingDirectory, typed ?? '.');
  const path = await repositoryRoot(from);
  if (typeof path !== 'string') return refused(from, path.why, 'name a folder of the repository');
  const commits = await rootCommits(path, house.toolEnvironment['PATH'] ?? '');
  if (commits.kind === 'unknown') {
    const why = `its root commit is not known: ${commits.why}`;
    return refused(path, why, `complete the history (git fetch --unshallow), or ${ONE_BY_ONE}`);
  }
  const [rootCommit] = commits.commits;
  if (rootCommit === undefined)
    return refused(path, 'nothing is committed in it yet', `commit first, or ${ONE_BY_ONE}`);
  return { kind: 'found', place: { path, rootCommit } };
}

const ONE_BY_ONE = 'approve its files one by one with bnerd trust';

/** The place of a word to take trust back: it need not be a repository any more. */
export async function revokedPlacePath(house: House, typed: string | null): Promise<string> {
  const from = resolve(house.workingDirectory, typed ?? '.');
  const path = await repositoryRoot(from);
  if (typeof path === 'string') return path;
  return realpath(from).catch(() => from); // gone: then it is meant as it is written
}

/** Why a place cannot be trusted: a revocation in another file, or one that names less than the place. */
export async function placeObjections(trust: OpenTrust, { path }: TrustPlace): Promise<readonly Finding[]> {
  const found = await trust.placeRevocations(path);
  return found
    .filter(({ holder, revocation }) => holder !== 'own' || revocation.path !== path)
    .map(({ revocation, shown }) => {
      const message = `it is revoked by ${revocation.revoker} in ${shown}, which an approval does not beat`;
      const remedy = 'take that entry out of that file first';
      return { code: 'revoked', severity: 'error', path, message, remedy };
    });
}

/** Trusts a place for good. `placeObjections` has been asked. */
export function trustPlace(
  house: House,
  { path, rootCommit }: TrustPlace,
  approver: string,
): Promise<TrustChanged> {
  const at = isoStamp(house.clock.wallMs());
  const approval = { path, root_commit: rootCommit, approver, at };
  return changeOwnTrust(house, { kind: 'approve-place', approval });
}

/** Takes the trust in a place back; files that were approved one by one keep their approvals. */
export function revokePlace(house: House, path: string, revoker: string): Promise<TrustChanged> {
  const at = isoStamp(house.clock.wallMs());
  return changeOwnTrust(house, { kind: 'revoke-place', path, revoker, at });
}

/** The nearest folder upward that holds a git directory. */
async function repositoryRoot(from: string): Promise<string | { readonly why: string }> {
  let real: string;
  try {
    real = await realpath(from);
    if (!(await stat(real)).isDirectory()) real = dirname(real);
  } catch (error) {
    const code = systemCode(error);
    return {
      why: code === 'ENOENT' ? 'it does not exist' : `it cannot be read: ${code ?? errorText(error)}`,
    };
  }
  for (let folder = real; ; folder = dirname(folder)) {
    if ((await gitDirectory(folder)).kind !== 'none') return folder;
    if (dirname(folder) === folder) return { why: 'there is no git repository here or above' };
  }
}

function refused(path: string, message: string, remedy: string): PlaceFound {
  return { kind: 'refused', findings: [{ code: 'no-place', severity: 'error', path, message, remedy }] };
}
