/**
 * What all trust files together say of a file or a place. Pure.
 *
 *  J1 every part that an entry names must match; a root commit that cannot be known approves nothing;
 *  J2 a revocation anywhere beats an approval anywhere, and where root commits cannot be known, one that names a
 *     root commit is taken to match;
 *  J3 the trust file of a mission repository approves project files, never a place and never its own.
 */

import type { FileQuestion, TrustQuestion, TrustVerdict } from '../trust.js';
import type { RootCommits } from './repository-facts.js';
import type { FileApproval, FileRevocation, PlaceRevocation, TrustFile, TrustHolder } from './trust-file.js';

/** A trust file that counts. */
export interface TrustSource {
  readonly holder: TrustHolder;
  /** As messages name it. */
  readonly shown: string;
  readonly file: TrustFile;
}

/** The verdict on one text of one file. `commits` are those of its root. */
export function fileVerdict(
  question: TrustQuestion,
  commits: RootCommits,
  sources: readonly TrustSource[],
): TrustVerdict {
  const [revoked] = revocationsOf(question, commits, sources);
  if (revoked !== undefined) {
    return { kind: 'revoked', by: `${revoked.revocation.revoker} in ${revoked.shown}` };
  }
  const earlier = approvalsOf(question, commits, sources);
  const approved = earlier.find(({ approval }) => approval.digest === question.digest);
  if (approved !== undefined) {
    return { kind: 'trusted', by: `${approved.approval.approver} in ${approved.shown}` };
  }
  const place = trustedPlace(question.root, commits, sources);
  if (place !== undefined) return { kind: 'trusted', by: `its place (${place})` };
  return { kind: 'untrusted', changed: earlier.length > 0 };
}

/** The verdict on every text of a file; null where it depends on the text (J2: also where only a revocation names one). */
export function verdictOnAnyText(
  question: FileQuestion,
  commits: RootCommits,
  sources: readonly TrustSource[],
): TrustVerdict | null {
  const named = sources.some(({ file }) =>
    file.revokedFiles.some(
      ({ digest, ...rest }) => digest !== undefined && revokes(rest, { ...question, digest }, commits),
    ),
  );
  if (named || approvalsOf(question, commits, sources).length > 0) return null;
  return fileVerdict({ ...question, digest: '' }, commits, sources);
}

/** Who trusts a place for good, in words; undefined when nobody does. */
export function trustedPlace(
  root: string,
  commits: RootCommits,
  sources: readonly TrustSource[],
): string | undefined {
  if (placeRevocationsOf(root, commits, sources).length > 0) return undefined;
  for (const { holder, file, shown } of sources) {
    if (holder === 'mission') continue;
    const place = file.places.find((entry) => isOfPlace(entry, root, commits));
    if (place !== undefined) return `${place.approver} in ${shown}`;
  }
  return undefined;
}

/** An approval and the file it stands in. */
export interface FoundApproval {
  readonly approval: FileApproval;
  readonly shown: string;
}

/** Approvals of any text of a file, in the order of the sources; within one, the newest last. */
export function approvalsOf(
  question: FileQuestion,
  commits: RootCommits,
  sources: readonly TrustSource[],
): readonly FoundApproval[] {
  return sources.flatMap(({ holder, file, shown }) =>
    file.files
      .filter(
        (approval) =>
          approval.kind === question.kind &&
          approval.tier === question.tier &&
          approval.path === question.path &&
          (holder !== 'mission' || approval.tier === 'project') &&
          isOfPlace(rootParts(approval), question.root, commits),
      )
      .map((approval) => ({ approval, shown })),
  );
}

/** A revocation and the file it stands in. */
export interface FoundRevocation<Entry> {
  readonly revocation: Entry;
  readonly holder: TrustHolder;
  readonly shown: string;
}

/** Every revocation that beats the approvals of a text of a file. */
export function revocationsOf(
  question: TrustQuestion,
  commits: RootCommits,
  sources: readonly TrustSource[],
): readonly FoundRevocation<FileRevocation>[] {
  return sources.flatMap(({ holder, file, shown }) =>
    file.revokedFiles
      .filter((entry) => revokes(entry, question, commits))
      .map((revocation) => ({ revocation, holder, shown })),
  );
}

/** Every revocation that takes the trust in a place away. */
export function placeRevocationsOf(
  root: string,
  commits: RootCommits,
  sources: readonly TrustSource[],
): readonly FoundRevocation<PlaceRevocation>[] {
  return sources.flatMap(({ holder, file, shown }) =>
    file.revokedPlaces
      .filter((entry) => revokesPlace(entry, root, commits))
      .map((revocation) => ({ revocation, holder, shown })),
  );
}

/** Whether the root commits of a place could matter: otherwise nobody has to ask git for them. */
export function commitsMatter(root: string, sources: readonly TrustSource[]): boolean {
  const matter = (parts: PlaceParts): boolean =>
    parts.root_commit !== undefined && (parts.path === undefined || parts.path === root);
  return sources.some(
    ({ file }) =>
      [...file.files, ...file.revokedFiles].some((entry) => matter(rootParts(entry))) ||
      [...file.places, ...file.revokedPlaces].some(matter),
  );
}

function rootParts(entry: FileApproval | FileRevocation): PlaceParts {
  return { path: entry.root, root_commit: entry.root_commit };
}

/** What names a place: both parts, where they are given. */
type PlaceParts = { readonly path?: string | undefined; readonly root_commit?: string | undefined };

function isOfPlace({ path, root_commit: commit }: PlaceParts, root: string, commits: RootCommits): boolean {
  if (path !== undefined && path !== root) return false;
  return commit === undefined || (commits.kind === 'known' && commits.commits.includes(commit));
}

function revokesPlace(
  { path, root_commit: commit }: PlaceParts,
  root: string,
  commits: RootCommits,
): boolean {
  if (path !== undefined && path !== root) return false;
  return commit === undefined || commits.kind === 'unknown' || commits.commits.includes(commit);
}

function revokes(entry: FileRevocation, question: TrustQuestion, commits: RootCommits): boolean {
  for (const part of ['kind', 'tier', 'path', 'digest'] as const) {
    if (entry[part] !== undefined && entry[part] !== question[part]) return false;
  }
  return revokesPlace(rootParts(entry), question.root, commits);
}
