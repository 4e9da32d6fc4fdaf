/**
 * An empty repository of our own in the temporary folder, for one fetch (spec/skills.md §9): hardened as every git of
 * ours, bounded in time and bytes, and removed by whoever opened it.
 *
 * Always true: no template and so no hook, no submodule, no redirect, no credentials, every object checked as it
 * arrives; a command that only reads has no protocol, so that nothing is fetched behind its back.
 */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../shared/abort.js';
import { folderBytes } from '../../shared/folder-bytes.js';
import { type GitOutcome, type GitPlace, hardenedGit, runGit } from '../../shared/git.js';
import { TRANSPORT_OPTIONS } from '../../shared/git-transport.js';
import type { GitAddress } from './git-address.js';

/** What fetching needs of the machine. */
export interface FetchTools {
  /** `PATH` to find git in. */
  readonly gitPath: string;
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
  /** Bytes of everything that one fetch may bring. */
  readonly maxBytes: number;
}

export const FETCH_LIMITS = {
  /** Of one command of git; a slow line is given up. */
  timeoutMs: 120_000,
  /** Of `FetchTools.maxBytes`: one commit of a large collection of skills has tens of megabytes. */
  bytes: 256 << 20,
  /** Of a list of branches and tags. */
  outputBytes: 8 << 20,
} as const;

/** What a command gave, or that the repository grew beyond its bound. */
export type ScratchOutcome = GitOutcome | { readonly kind: 'too-large' };

/** Between two looks at how large the repository has become. */
const LOOK_MS = 200;

export class ScratchRepository {
  readonly #root: string;
  readonly #place: GitPlace;
  readonly #tools: FetchTools;

  private constructor(root: string, tools: FetchTools) {
    this.#root = root;
    this.#place = { gitDir: join(root, 'repository'), workTree: join(root, 'tree') };
    this.#tools = tools;
  }

  /** Makes the folders; the repository itself is made by `init`. To be closed by the caller. */
  static async open(tools: FetchTools): Promise<ScratchRepository> {
    const root = await mkdtemp(join(tools.temporaryDirectory, 'bnerd-import-'));
    const scratch = new ScratchRepository(root, tools);
    await mkdir(scratch.#place.workTree);
    return scratch;
  }

  /** Removes everything. */
  async close(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }

  /** @param format of the objects it will hold */
  init(format: 'sha1' | 'sha256'): Promise<GitOutcome> {
    return this.read(['init', '--quiet', '--template=', `--object-format=${format}`]);
  }

  /** A command that reads what is here. @param maxBytes of its output */
  read(args: readonly string[], maxBytes: number = FETCH_LIMITS.outputBytes): Promise<GitOutcome> {
    const { gitPath, signal } = this.#tools;
    const command = hardenedGit(this.#place, args, { path: gitPath });
    return runGit(command, { signal, timeoutMs: FETCH_LIMITS.timeoutMs, maxBytes });
  }

  /** A command that speaks to an address: its words, up to the address. */
  async speak(
    address: GitAddress,
    before: readonly string[],
    after: readonly string[],
  ): Promise<ScratchOutcome> {
    const { gitPath, signal } = this.#tools;
    const checked = ['-c', 'transfer.fsckObjects=true'];
    const args = [...TRANSPORT_OPTIONS, ...checked, ...before, '--end-of-options', address.url, ...after];
    const command = hardenedGit(this.#place, args, { path: gitPath, protocols: [address.protocol] });
    const grown = new AbortController();
    const ended = new AbortController();
    const watching = this.#watch(ended.signal, grown);
    const { timeoutMs, outputBytes: maxBytes } = FETCH_LIMITS;
    try {
      const outcome = await runGit(command, {
        signal: AbortSignal.any([signal, grown.signal]),
        timeoutMs,
        maxBytes,
      });
      return grown.signal.aborted && !signal.aborted ? { kind: 'too-large' } : outcome;
    } finally {
      ended.abort();
      await watching;
    }
  }

  async #watch(ended: AbortSignal, grown: AbortController): Promise<void> {
    while (!ended.aborted) {
      if ((await folderBytes(this.#place.gitDir)) > this.#tools.maxBytes) grown.abort();
      await sleep(LOOK_MS, ended).catch(() => {}); // it has ended
    }
  }
}
