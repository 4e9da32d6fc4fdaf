/**
 * What may be asked of a repository without changing it: the one form behind the `git_*` tools and behind plain
 * `git …` commands of class Read. Checked by text alone; nothing here runs git.
 */

import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { Location, Roots } from '../files/roots.js';
import { locate } from '../files/roots.js';
import { secretText, secretVerdict } from '../files/secret-paths.js';

export type GitRequest =
  | { readonly kind: 'status' }
  | {
      readonly kind: 'diff';
      /** One or two; none: the work tree against what is staged. */
      readonly revisions: readonly string[];
      readonly staged: boolean;
      readonly stat: boolean;
      readonly paths: readonly string[];
    }
  | {
      readonly kind: 'log';
      readonly revisions: readonly string[];
      readonly limit: number;
      readonly stat: boolean;
      readonly paths: readonly string[];
    }
  | {
      readonly kind: 'show';
      readonly revision: string;
      readonly stat: boolean;
      readonly paths: readonly string[];
    }
  | { readonly kind: 'file'; readonly revision: string; readonly path: string }
  | {
      readonly kind: 'blame';
      readonly revision: string | undefined;
      readonly path: string;
      readonly first: number;
      readonly count: number;
    };

/** Names, ranges, ancestors, reflog entries. Never an option, never a search (`:/text`), never two words. */
const REVISION = /^[A-Za-z0-9_@][A-Za-z0-9_./@{}~^+-]{0,254}$/;

/** Said in the schemas. */
export const REVISION_TEXT = 'a branch, tag, commit, or range such as main..HEAD';

/** Why a revision cannot be used; undefined when it can. */
function revisionProblem(revision: string): string | undefined {
  if (REVISION.test(revision)) return undefined;
  return `the revision ${JSON.stringify(revision.slice(0, 100))} is not understood; allowed: ${REVISION_TEXT}`;
}

export function isRevision(text: string): boolean {
  return REVISION.test(text);
}

/**
 * The request with revisions that can only mean commits. Of a blob or a tree, named by its id, git would show files
 * without the path by which the secret list knows them.
 */
export function ofCommits(request: GitRequest): GitRequest {
  if ('revisions' in request) return { ...request, revisions: request.revisions.map(asCommits) };
  if ('revision' in request && request.revision !== undefined)
    return { ...request, revision: asCommits(request.revision) };
  return request;
}

function asCommits(revision: string): string {
  const [, from = revision, dots = '', to = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(revision) ?? [];
  return `${asCommit(from)}${dots}${asCommit(to)}`;
}

/** Either end of a range may be left out. */
function asCommit(name: string): string {
  return name === '' ? '' : `${name}^{commit}`;
}

/** The request as a person would type it: its summary, and what permission rules match on. */
export function requestText(request: GitRequest): string {
  return ['git', ...requestWords(request)].join(' ');
}

function requestWords(request: GitRequest): string[] {
  switch (request.kind) {
    case 'status':
      return ['status'];
    case 'diff':
      return [
        'diff',
        ...(request.staged ? ['--staged'] : []),
        ...(request.stat ? ['--stat'] : []),
        ...request.revisions,
        ...pathWords(request.paths),
      ];
    case 'log':
      return [
        'log',
        `-n${request.limit}`,
        ...(request.stat ? ['--stat'] : []),
        ...request.revisions,
        ...pathWords(request.paths),
      ];
    case 'show':
      return ['show', ...(request.stat ? ['--stat'] : []), request.revision, ...pathWords(request.paths)];
    case 'file':
      return ['show', `${request.revision}:${request.path}`];
    case 'blame':
      return ['blame', ...(request.revision === undefined ? [] : [request.revision]), '--', request.path];
  }
}

function pathWords(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : ['--', ...paths];
}

/** Everything that its text tells is wrong with a request. */
export function requestProblem(request: GitRequest): string | undefined {
  const revisions =
    'revisions' in request
      ? request.revisions
      : 'revision' in request && request.revision !== undefined
        ? [request.revision]
        : [];
  for (const revision of revisions) {
    const problem = revisionProblem(revision);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The paths that a request names. */
export function requestPaths(request: GitRequest): readonly string[] {
  if ('paths' in request) return request.paths;
  return 'path' in request ? [request.path] : [];
}

/** Whether every path of a request lies inside the roots and off the secret list, as its text tells. */
export function namesNoSecret(roots: Roots, request: GitRequest): boolean {
  return requestPaths(request).every((path) => {
    const location = locate(roots, path);
    return location.kind === 'inside' && secretVerdict(location.segments).kind === 'plain';
  });
}

/**
 * A path of a request as git is to be told it: below the root of the repository. Relative paths mean that root,
 * also when it is a read root. Secrets are refused, those by content too: git does not show one before the
 * other.
 */
export function repositoryPath(roots: Roots, repository: Location, path: string): string | Refusal {
  const own = locate(roots, path);
  const foreign = own.kind === 'inside' && own.root !== repository.root && own.area === 'workspace';
  const location = foreign ? locate({ workspace: repository.root, reads: [] }, path) : own;
  if (location.kind === 'refused') return location;
  if (location.root !== repository.root) {
    return refused(`${location.shown} does not lie in the repository ${repository.shown}`);
  }
  const verdict = secretVerdict(location.segments);
  if (verdict.kind !== 'plain') return refused(secretText(location.shown, verdict.what));
  return location.segments.length === 0 ? '.' : location.segments.join('/');
}

/** A path of a repository that means itself: no wildcard, no magic. */
export function literalPath(path: string): string {
  return path === '.' ? ':(top)' : `:(top,literal)${path}`;
}
