/**
 * One repository without a tree for each address that briefs work on: fetched once, read by every checkout
 * (spec/runner.md §3 "Workspace").
 *
 *  M1 written by us alone: an engineer gets a copy, never this;
 *  M2 it is complete or not there: made under another name, then renamed; a commit is in it when a ref of ours says so,
 *     and that is written behind everything the commit needs;
 *  M3 it holds the history of the commits that were asked for and no more: not the branches of other teams, no tags;
 *  M4 the far side is asked only for what is missing, so a brief on a known commit needs no network;
 *  M5 any number of processes may do all this at once;
 *  M6 one that somebody has changed is not used: another is made in its place.
 */

import { randomBytes } from 'node:crypto';
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../shared/digest.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { GitOutcome } from '../../shared/git.js';
import { LOCAL_FETCH_OPTIONS, TRANSPORT_OPTIONS } from '../../shared/git-transport.js';
import { gitFailureText } from '../../shared/git-words.js';
import { makeFolder } from '../../shared/make-folder.js';
import { withoutUserInfo } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';
import { markUse } from './mirror-use.js';
import {
  bare,
  failed,
  fileFailure,
  type GitTools,
  gitFailure,
  ourGit,
  type WorkspaceFailure,
} from './our-git.js';
import { initBare, isAsMade } from './own-repository.js';
import { UNFINISHED } from './places.js';
import { removeTree } from './remove-tree.js';
import { type RepositoryAddress, readRepositoryAddress } from './repository-address.js';

export interface MirrorSettings {
  /** The runner's folder. */
  readonly workdir: string;
  /** Protocols that the runner's settings allow. */
  readonly protocols: readonly string[];
  /** Variables for this git alone (`runner.git-env`); no engineer gets them. */
  readonly env: Readonly<Record<string, string>>;
}

export type Mirrored = { readonly kind: 'ready'; readonly gitDir: string } | WorkspaceFailure;

/** What this product's workspaces do without, as an `accepted` line says it. */
export const WITHOUT: readonly string[] = ['lfs', 'submodules', 'tags'];

/** The folder of all mirrors. */
export function mirrorsFolder(workdir: string): string {
  return join(workdir, 'mirrors');
}

/** The ref that says that a commit and all of its history are there. */
export function baseRef(commit: string): string {
  return `refs/bnerd/bases/${commit}`;
}

/** Refs that were fetched to find a commit below them, where the far side gives none by its name. */
export const LOOKED_THROUGH = 'refs/bnerd/seen/';

/**
 * The mirror of a repository, with a commit in it.
 * @param base the commit, named in full
 */
export async function mirror(
  { repo, base }: { readonly repo: string; readonly base: string },
  settings: MirrorSettings,
  tools: GitTools,
): Promise<Mirrored> {
  const read = readRepositoryAddress(repo, settings.protocols);
  if (read.kind === 'refused') return failed('workspace', read.detail);
  const fetcher = new Fetcher(read.address, base, settings.env, tools);
  const folder = mirrorsFolder(settings.workdir);
  const gitDir = join(folder, `${sha256(repo)}.git`);
  try {
    // First of all, so that whoever prunes sees it.
    await markUse(settings.workdir, gitDir);
    if ((await exists(gitDir)) && !(await isAsMade(gitDir))) await putAway(folder, gitDir);
    if (!(await exists(gitDir))) return await made(folder, gitDir, fetcher);
    return (await fetcher.into(gitDir)) ?? { kind: 'ready', gitDir };
  } catch (error) {
    return fileFailure(error, `mirror of ${fetcher.shown}`);
  }
}

/** Out of the way at once, so that whoever comes now makes another (M6). */
async function putAway(folder: string, gitDir: string): Promise<void> {
  const going = join(folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    await rename(gitDir, going);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error; // another process was faster
  }
  await removeTree(going);
}

async function made(folder: string, gitDir: string, fetcher: Fetcher): Promise<Mirrored> {
  await makeFolder(folder, 0o700);
  const fresh = join(folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    const problem = (await fetcher.init(fresh)) ?? (await fetcher.into(fresh));
    if (problem !== null) return problem;
    await rename(fresh, gitDir);
    return { kind: 'ready', gitDir };
  } catch (error) {
    // Another process was faster: its mirror is as good, and may lack this commit.
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
    return (await fetcher.into(gitDir)) ?? { kind: 'ready', gitDir };
  } finally {
    await removeTree(fresh);
  }
}

/** Brings one commit of one repository. */
class Fetcher {
  /** The address without what may be secret. */
  readonly shown: string;
  readonly #address: RepositoryAddress;
  readonly #base: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #tools: GitTools;

  constructor(
    address: RepositoryAddress,
    base: string,
    env: Readonly<Record<string, string>>,
    tools: GitTools,
  ) {
    this.shown = `"${oneLine(withoutUserInfo(address.url), 200)}"`;
    this.#address = address;
    this.#base = base;
    // Nobody is there to be asked for a passphrase or to judge a host's key.
    this.#env = { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes', ...env };
    this.#tools = tools;
  }

  async init(gitDir: string): Promise<WorkspaceFailure | null> {
    await makeFolder(gitDir, 0o700);
    const outcome = await initBare(this.#tools, gitDir, this.#base);
    return outcome.kind === 'done' ? null : gitFailure(outcome, `mirror of ${this.shown}`, this.#tools);
  }

  /** Null: the commit is there. */
  async into(gitDir: string): Promise<WorkspaceFailure | null> {
    if (await this.#has(gitDir)) return null;
    const ref = baseRef(this.#base);
    const named = await this.#fetch(gitDir, [`${this.#base}:${ref}`]);
    // Whatever git says of it: another process may have been faster.
    if (await this.#has(gitDir)) return null;
    if (named.kind === 'done')
      return this.#failure('it is shallow: its history does not reach the beginning');
    if (named.kind !== 'failed' || !/not our ref|unadvertised object|find remote ref/.test(named.message))
      return this.#gitFailure(named, gitDir);
    // A server of the old kind gives only what a branch or tag stands on.
    const all = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${LOOKED_THROUGH}${kind}/*`);
    const seen = await this.#fetch(gitDir, all);
    if (seen.kind !== 'done') return this.#gitFailure(seen, gitDir);
    const said = await ourGit(this.#tools, bare(gitDir), ['update-ref', ref, this.#base]);
    if (said.kind === 'done') return null;
    if (said.kind !== 'failed') return this.#gitFailure(said, gitDir);
    return this.#failure(
      `it has no commit ${this.#base}; push the commit there, or name one that it has as the base`,
    );
  }

  async #has(gitDir: string): Promise<boolean> {
    const args = ['rev-parse', '--verify', '--quiet', `${baseRef(this.#base)}^{commit}`];
    const outcome = await ourGit(this.#tools, bare(gitDir), args);
    return outcome.kind === 'done' && outcome.output.trim() === this.#base;
  }

  #fetch(gitDir: string, refs: readonly string[]): Promise<GitOutcome> {
    const { url, protocol, path } = this.#address;
    const args = [
      ...TRANSPORT_OPTIONS,
      // One pack with a name at its end, so that no half of a fetch is ever met; and two at once wait for each other.
      ...['-c', 'fetch.unpackLimit=1', '-c', 'core.filesRefLockTimeout=10000'],
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'],
      ...['--no-recurse-submodules', ...(path === null ? [] : LOCAL_FETCH_OPTIONS), '--end-of-options', url],
      ...refs,
    ];
    return ourGit(this.#tools, bare(gitDir), args, { protocols: [protocol], env: this.#env });
  }

  #gitFailure(outcome: GitOutcome, gitDir: string): WorkspaceFailure {
    if (outcome.kind === 'done') return this.#failure('it gave nothing');
    const failure = gitFailure(outcome, `fetching from ${this.shown}`, this.#tools);
    if (failure.cause !== 'workspace' || outcome.kind !== 'failed') return failure;
    const words = oneLine(withoutUserInfo(gitFailureText(outcome, this.#tools.timeoutMs)), 1_000);
    const advice =
      adviceFor(outcome.message) ?? `should the mirror ${gitDir} be broken, remove it: it is made anew`;
    return failed('workspace', `fetching from ${this.shown}: ${words}; ${advice}`);
  }

  #failure(why: string): WorkspaceFailure {
    return failed('workspace', `repository ${this.shown}: ${why}`);
  }
}

/** What a person can do about what git said. */
export function adviceFor(message: string): string | null {
  if (
    /could not read (Username|Password)|Authentication failed|Permission denied|HTTP.* 40[13]/i.test(message)
  )
    return 'the runner has no access: name the variables that give it in runner.git-env (SSH_AUTH_SOCK, GIT_ASKPASS)';
  if (/Host key verification failed/i.test(message))
    return 'the key of the host is not known to ssh on this machine: connect once by hand, or add it to known_hosts';
  if (
    /does not appear to be a git repository|[Rr]epository .*not found|not found$|does not exist/m.test(
      message,
    )
  )
    return 'there is no such repository, or the runner may not see it: check the address and runner.git-env';
  if (/Could not resolve host|Connection (refused|timed out)|Failed to connect/i.test(message))
    return 'the host does not answer: check the address and the network of the runner';
  return null;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw new Error(`${path} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
