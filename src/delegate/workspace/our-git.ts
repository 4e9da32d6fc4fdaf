/** A git of ours and what is said of it when it fails, the same for all parts of a workspace. */

import { errorText, isDiskFull } from '../../shared/errors.js';
import {
  type BareGitPlace,
  type GitLimits,
  type GitOptions,
  type GitOutcome,
  type GitPlace,
  hardenedGit,
  runGit,
} from '../../shared/git.js';
import { gitFailureText } from '../../shared/git-words.js';
import { oneLine } from '../../shared/terminal-text.js';

/** What every git of ours needs. */
export interface GitTools {
  /** `PATH` to find git in, without folders that an engineer can write. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Of one command of git, in milliseconds. */
  readonly timeoutMs: number;
  /** Variables that each of them carries, so that what a killed owner leaves behind is found by them; absent: none. */
  readonly marks?: Readonly<Record<string, string>>;
}

export type WorkspaceFailure = {
  readonly kind: 'failed';
  readonly cause: 'workspace' | 'disk_full' | 'cancelled';
  /** Where, what was found, what to do. */
  readonly detail: string;
};

export type GitAsked = Pick<GitOptions, 'protocols' | 'env' | 'identity' | 'filters'> &
  Partial<Pick<GitLimits, 'maxBytes' | 'input'>>;

/** More than the names of all files that changed may have. */
const OUTPUT_BYTES = 16 << 20;

/** A blob that is larger is compared and counted without being read into memory. */
const ALWAYS: readonly string[] = ['--no-replace-objects', '-c', 'core.bigFileThreshold=16m'];

/** For objects that a stranger has packed: a few bytes may ask for more memory than there is, and then git ends instead. */
export const WARY: GitAsked = { env: { GIT_ALLOC_LIMIT: '512m' } };

/** Runs one git command: hardened, within its deadline, and never with another history than the commits' own. */
export function ourGit(
  tools: GitTools,
  place: GitPlace | BareGitPlace,
  args: readonly string[],
  { maxBytes = OUTPUT_BYTES, input, env, ...options }: GitAsked = {},
): Promise<GitOutcome> {
  const marked = { ...env, ...tools.marks };
  const command = hardenedGit(place, [...ALWAYS, ...args], { ...options, path: tools.path, env: marked });
  const limits = { signal: tools.signal, timeoutMs: tools.timeoutMs, maxBytes };
  return runGit(command, input === undefined ? limits : { ...limits, input });
}

/** A repository of ours without a tree. */
export function bare(gitDir: string): BareGitPlace {
  return { gitDir, workTree: null };
}

/** Which objects a repository has, by the name of one of its commits. */
export function objectFormat(commit: string): 'sha1' | 'sha256' {
  return commit.length === 64 ? 'sha256' : 'sha1';
}

/** @param what what was being done, as the beginning of a sentence */
export function gitFailure(
  outcome: Exclude<GitOutcome, { kind: 'done' }>,
  what: string,
  tools: GitTools,
): WorkspaceFailure {
  if (outcome.kind === 'cancelled') return failed('cancelled', `${what}: it was cancelled`);
  const words = oneLine(gitFailureText(outcome, tools.timeoutMs), 1_000);
  if (outcome.kind === 'failed' && isFull(outcome.message)) return diskFull(what, words);
  return failed('workspace', `${what}: ${words}`);
}

/** Of an error that the file system threw. */
export function fileFailure(error: unknown, what: string): WorkspaceFailure {
  if (isDiskFull(error)) return diskFull(what, errorText(error));
  return failed('workspace', `${what}: ${oneLine(errorText(error), 1_000)}`);
}

export function failed(cause: WorkspaceFailure['cause'], detail: string): WorkspaceFailure {
  return { kind: 'failed', cause, detail };
}

function isFull(message: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(message);
}

function diskFull(what: string, words: string): WorkspaceFailure {
  return failed(
    'disk_full',
    `${what}: no space is left on the disk (${words}); make room, for instance with bnerd runner prune`,
  );
}
