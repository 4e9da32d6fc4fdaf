/**
 * Finds the repository of a root and runs hardened git in it (`shared/git.ts`).
 *
 * Only a repository whose `.git` lies in a root itself is used: one around the workspace would show what lies
 * outside of it, and one that is met further down may have been planted.
 */

import type { GitIdentity, GitLimits, GitOutcome, GitPlace } from '../../shared/git.js';
import { configuredFilters, hardenedGit, runGit } from '../../shared/git.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { gitFailureText } from '../../shared/git-words.js';
import { NO_SECRETS, type Redactor } from '../../shared/secrets/redactor.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { Location, Roots } from '../files/roots.js';
import { rootLocation } from '../files/roots.js';
import { pathOutsideRoots } from '../program-path.js';

export interface GitAccessOptions {
  readonly roots: Roots;
  /** `PATH` to find git in; entries inside the roots are left out. */
  readonly path: string;
  /** Absent: nothing is known to be secret. */
  readonly secrets?: Redactor;
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
  /** What git has printed, without what is secret; of an output that was cut without what may begin a secret. */
  clean(output: string, part: 'whole' | 'cut'): string;
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
    const found = await gitDirectory(location.root);
    if (found.kind === 'found') {
      const { gitDir } = found;
      return open(options, location, { gitDir, workTree: location.root }, signal);
    }
  }
  const where = name ?? 'the workspace and the read roots';
  return refused(
    candidates.length === 0
      ? `there is no root ${JSON.stringify(name)}; allowed: ${all.map((location) => location.shown).join(', ')}`
      : `no git repository in ${where}; one that lies above or below is not used`,
  );
}

async function open(
  options: GitAccessOptions,
  location: Location,
  place: GitPlace,
  signal: AbortSignal,
): Promise<Repository | Refusal> {
  const limits = { signal, timeoutMs: TIMEOUT_MS, maxBytes: SMALL_BYTES };
  const path = await pathOutsideRoots(options.path, options.roots);
  const found = await configuredFilters(place, { path }, limits);
  const words = (message: string): string =>
    message.replaceAll(place.gitDir, '.git').replaceAll(place.workTree, location.shown);
  if (found.kind !== 'filters') return refused(words(outcomeText(found)));
  const filters = found.names;
  const { secrets = NO_SECRETS } = options;
  return {
    location,
    filters,
    words,
    clean: (output, part) => (part === 'cut' ? secrets.stream().push(output) : secrets.text(output)),
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
  return gitFailureText(outcome, TIMEOUT_MS);
}
