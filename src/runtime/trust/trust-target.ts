/** Which file of those that need a word a person means: by its path, else by its name or a link to it. Pure. */

import { isAbsolute, join } from 'node:path';
import type { TrustedFile } from '../../catalog/trust/edit-trust-file.js';
import type { TrustSource } from '../../catalog/trust/judge-trust.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import type { TrustSubject } from './trust-subjects.js';

export type TrustTarget =
  | { readonly kind: 'found'; readonly subject: TrustSubject }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * The subject of a word.
 * @param typed a path, absolute or relative to the working directory or to the root of its tier, or a name
 * @param paths what the word may be as a path: as written, and with links followed
 */
export function targetOf(
  subjects: readonly TrustSubject[],
  typed: string,
  paths: readonly string[],
): TrustTarget {
  const [written, ...followed] = paths;
  const byPath = subjects.filter(
    ({ path, file }) => path === written || (!isAbsolute(typed) && path === join(file.root, typed)),
  );
  // What a repository names like one of its files may be a link to another: then it is asked which is meant.
  const byWord = subjects.filter((subject) => followed.includes(subject.path) || isCalled(subject, typed));
  const found = byPath.length > 0 ? byPath : byWord;
  const [subject, ...others] = found;
  if (subject === undefined) return refused(unknown(subjects, typed));
  if (others.length > 0) return refused(ambiguous(found, typed));
  return { kind: 'found', subject };
}

/** Roles are compared as everywhere: without case, dashes, underscores and blanks. */
function isCalled({ kind, name }: TrustSubject, typed: string): boolean {
  return name === typed || (kind === 'role' && roleIdentity(name) === roleIdentity(typed) && typed !== '');
}

function unknown(subjects: readonly TrustSubject[], typed: string): Finding {
  const names = [...new Set(subjects.map(({ name }) => name))];
  const message =
    'no file that needs a word has this name or path; files of the package, of yours and of a named mission repository need none';
  const remedy = subjects.length === 0 ? 'there is no such file here' : nameRemedy(typed, names);
  return { code: 'unknown-file', severity: 'error', path: typed, message, remedy };
}

function ambiguous(found: readonly TrustSubject[], typed: string): Finding {
  const paths = found.map(({ kind, path }) => `${kind} ${path}`).join(', ');
  const message = `${found.length} files are called so: ${paths}`;
  return { code: 'ambiguous-name', severity: 'error', path: typed, message, remedy: 'name one by its path' };
}

function refused(finding: Finding): TrustTarget {
  return { kind: 'refused', findings: [finding] };
}

export type RevokedFile =
  | { readonly kind: 'found'; readonly file: TrustedFile }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** The file whose approvals are to be taken back: one that is there, or one that is gone and was approved once. */
export function revokedFile(
  subjects: readonly TrustSubject[],
  sources: readonly TrustSource[],
  typed: string,
  paths: readonly string[],
): RevokedFile {
  const target = targetOf(subjects, typed, paths);
  if (target.kind === 'found') {
    return { kind: 'found', file: target.subject.file };
  }
  const gone = sources
    .flatMap(({ file }) => file.files)
    .flatMap(({ kind, tier, path, root }) => (root === undefined ? [] : [{ kind, tier, path, root }]))
    .find(({ path, root }) => paths.includes(join(root, path)));
  return gone === undefined ? target : { kind: 'found', file: gone };
}
