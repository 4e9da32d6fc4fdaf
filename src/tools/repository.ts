/**
 * Finds the repository of a root and runs hardened git in it (`shared/git.ts`).
 *
 * Only a repository whose `.git` lies in a root itself is used: one around the workspace would show what lies
 * outside of it, and one that is met further down may have been planted.
 */

import { lstat, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { GitIdentity, GitLimits, GitOutcome, GitPlace } from '../shared/git.js';
import { configuredFilters, hardenedGit, runGit } from '../shared/git.js';
import type { Refusal } from './define-tool.js';
import { refused } from './define-tool.js';
import { programPath } from './program-path.js';
import type { Location, Roots } from './roots.js';
import { rootLocation } from './roots.js';

export interface GitAccessOptions {
  readonly roots: Roots;
  /** `PATH` to find git in; entries inside the roots are left out. */
  readonly path: string;
}

export interface Repository {
  /** The root it lies in. */
  readonly location: Location;
  /** Names of the filters its configuration defines; none of them runs. */
  readonly filters: readonly string[];
  /** Runs one git command; `identity` for commits. */
  git(args: readonly string[], limits: RepositoryLimits): Promise<GitOutcome>;
  /** A message of git without paths of this machine. */
  words(message: string): string;
}

export type RepositoryLimits = Pick<GitLimits, 'signal' | 'maxBytes' | 'input'> & {
  readonly identity?: GitIdentity;
};

/** One git command; a large history needs seconds for a blame. */
const TIMEOUT_MS = 30_000;

const SMALL_BYTES = 64 * 1024;

/**
 * The repository of a root.
 * @param name `.` or `reads:<n>`; absent: the workspace, or the first read root that has one
 */
export async function findRepository(
  options: GitAccessOptions,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Repository | Refusal> {
  const { roots } = options;
  const all = [rootLocation(roots, 0), ...roots.reads.map((_, index) => rootLocation(roots, index + 1))];
  const candidates = name === undefined ? all : all.filter((location) => location.shown === name);
  for (const location of candidates) {
    const gitDir = await gitDirectory(location.root);
    if (gitDir !== undefined) return open(options, location, { gitDir, workTree: location.root }, signal);
  }
  const where = name ?? 'the workspace and the read roots';
  return refused(
    candidates.length === 0
      ? `there is no root ${JSON.stringify(name)}; allowed: ${all.map((location) => location.shown).join(', ')}`
      : `no git repository in ${where}; one that lies above or below is not used`,
  );
}

/** `.git` as a directory, or as the file of a linked work tree; never a link. */
async function gitDirectory(root: string): Promise<string | undefined> {
  const path = join(root, '.git');
  const stats = await lstat(path).catch(() => undefined); // missing or unreadable: no repository for us
  if (stats?.isDirectory() === true) return path;
  if (stats?.isFile() !== true || stats.size > 4_096) return undefined;
  const target = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(path, 'utf8'))?.[1];
  if (target === undefined) return undefined;
  return realpath(isAbsolute(target) ? target : join(root, target)).catch(() => undefined); // points nowhere
}

async function open(
  options: GitAccessOptions,
  location: Location,
  place: GitPlace,
  signal: AbortSignal,
): Promise<Repository | Refusal> {
  const limits = { signal, timeoutMs: TIMEOUT_MS, maxBytes: SMALL_BYTES };
  const path = await programPath(options.path, options.roots);
  const found = await configuredFilters(place, { path }, limits);
  const words = (message: string): string =>
    message.replaceAll(place.gitDir, '.git').replaceAll(place.workTree, location.shown);
  if (found.kind !== 'filters') return refused(words(outcomeText(found)));
  const filters = found.names;
  return {
    location,
    filters,
    words,
    git: (args, { identity, ...rest }) => {
      const command = hardenedGit(place, args, {
        path,
        filters,
        ...(identity === undefined ? {} : { identity }),
      });
      return runGit(command, { timeoutMs: TIMEOUT_MS, ...rest });
    },
  };
}

/** The sentence about a git command that gave no output to show. */
export function outcomeText(outcome: Exclude<GitOutcome, { kind: 'done' }>): string {
  switch (outcome.kind) {
    case 'failed':
      return `git says: ${outcome.message}`;
    case 'timeout':
      return `git took longer than ${TIMEOUT_MS / 1000} s and was ended`;
    case 'cancelled':
      return 'git was cancelled';
    case 'missing':
      return 'there is no git on this machine';
  }
}
