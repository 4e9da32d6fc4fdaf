/** The repository of the team's workspace, as the team's side of delegation reads it: hardened, and only with a deadline. */

import { realpath } from 'node:fs/promises';
import { commitName } from '../../delegate/brief/brief.js';
import { type GitTools, ourGit } from '../../delegate/workspace/our-git.js';
import { readRepositoryAddress } from '../../delegate/workspace/repository-address.js';
import type { GitOutcome, GitPlace } from '../../shared/git.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { gitFailureText } from '../../shared/git-words.js';
import { oneLine } from '../../shared/terminal-text.js';

/** Where the work of an engineer begins. */
export type Base =
  | {
      readonly kind: 'base';
      /** Full name of a commit. */
      readonly commit: string;
      /** Files that differ from the present commit, which the engineer does not see. */
      readonly uncommitted: number;
    }
  | { readonly kind: 'refused'; readonly text: string };

const BYTES = 4 << 20;

/** Where others fetch from, and how. */
const REMOTE = 'origin';
const PROTOCOLS: readonly string[] = ['file', 'https', 'ssh'];

export class WorkspaceGit {
  readonly #workspace: string;
  readonly #tools: Omit<GitTools, 'signal'>;

  constructor(workspace: string, tools: Omit<GitTools, 'signal'>) {
    this.#workspace = workspace;
    this.#tools = tools;
  }

  /**
   * The commit that a brief is to begin from.
   * @param wish a branch or commit; null: the present one
   */
  async base(wish: string | null, signal: AbortSignal): Promise<Base> {
    const place = await this.#place();
    if (place === undefined)
      return refused(
        'the workspace is no git repository of its own, and an engineer works in a clone of it; have it made one ' +
          '(git init, and a first commit), or do the task without an engineer',
      );
    const revision = `${wish ?? 'HEAD'}^{commit}`;
    const found = await this.#git(
      place,
      ['rev-parse', '--verify', '--quiet', '--end-of-options', revision],
      signal,
    );
    // A revision may also mean all but a commit (`^HEAD`): that is none to begin from.
    const isCommit = found.kind === 'done' && commitName.safeParse(found.output.trim()).success;
    if (found.kind === 'failed' || (found.kind === 'done' && !isCommit))
      return refused(
        wish === null
          ? 'the workspace has no commit yet, and an engineer begins from one: commit first'
          : `base: the workspace has no commit ${JSON.stringify(oneLine(wish, 80))}; allowed: a branch or commit of it, or leave base out`,
      );
    if (found.kind !== 'done') return refused(`the workspace: ${this.#words(found)}`);
    const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all'];
    const changed = await this.#git(place, status, signal);
    if (changed.kind !== 'done') return refused(`the workspace: ${this.#words(changed)}`);
    const uncommitted = changed.output.split('\0').filter((entry) => entry !== '').length;
    return { kind: 'base', commit: found.output.trim(), uncommitted };
  }

  /**
   * The present commit as another machine gets it; null where its files differ from what a clone of it would have, or where
   * it was pushed nowhere.
   */
  async published(signal: AbortSignal): Promise<{ readonly repo: string; readonly commit: string } | null> {
    const base = await this.base(null, signal);
    const place = await this.#place();
    if (base.kind === 'refused' || base.uncommitted > 0 || place === undefined) return null;
    const { commit } = base;
    const say = async (...args: readonly string[]): Promise<string> => {
      const outcome = await this.#git(place, args, signal);
      return outcome.kind === 'done' ? outcome.output.trim() : '';
    };
    // Files of other repositories, and files that a filter makes, are not in the commit.
    if ((await say('ls-tree', '--name-only', commit, '--', '.gitmodules')) !== '') return null;
    if (/\bfilter=/.test(await say('show', `${commit}:.gitattributes`))) return null;
    const [ours, repo] = [`refs/remotes/${REMOTE}/`, await say('config', '--get', `remote.${REMOTE}.url`)];
    if (readRepositoryAddress(repo, PROTOCOLS).kind === 'refused') return null;
    const pushed = await say('for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, ours);
    return pushed === '' ? null : { repo, commit };
  }

  /** Where others get a commit: the address of the repository that it was pushed to; null: it was pushed nowhere. */
  async fetchable(commit: string, signal: AbortSignal): Promise<string | null> {
    const place = await this.#place();
    if (place === undefined) return null;
    const ours = `refs/remotes/${REMOTE}/`;
    const refs = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, ours];
    const pushed = await this.#git(place, refs, signal);
    if (pushed.kind !== 'done' || pushed.output.trim() === '') return null;
    const found = await this.#git(place, ['config', '--get', `remote.${REMOTE}.url`], signal);
    const repo = found.kind === 'done' ? found.output.trim() : '';
    return readRepositoryAddress(repo, PROTOCOLS).kind === 'refused' ? null : repo;
  }

  /** The bytes of a file in a commit; null where it has none there. */
  async fileBytes(commit: string, path: string, signal: AbortSignal): Promise<number | null> {
    const place = await this.#place();
    if (place === undefined) return null;
    const list = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', commit, '--', path];
    const outcome = await this.#git(place, list, signal);
    if (outcome.kind !== 'done') return null;
    const [entry = ''] = outcome.output.split('\0');
    const found = /^100\d{3} blob [0-9a-f]+ +(\d+)\t/.exec(entry);
    return found === null || entry.slice(found[0].length) !== path ? null : Number(found[1]);
  }

  async #place(): Promise<GitPlace | undefined> {
    const workTree = await realpath(this.#workspace);
    const found = await gitDirectory(workTree);
    return found.kind === 'found' ? { gitDir: found.gitDir, workTree } : undefined;
  }

  #git(place: GitPlace, args: readonly string[], signal: AbortSignal): Promise<GitOutcome> {
    return ourGit({ ...this.#tools, signal }, place, args, { maxBytes: BYTES });
  }

  #words(outcome: Exclude<GitOutcome, { kind: 'done' }>): string {
    return oneLine(gitFailureText(outcome, this.#tools.timeoutMs), 300).replaceAll(this.#workspace, '.');
  }
}

function refused(text: string): Base {
  return { kind: 'refused', text };
}
