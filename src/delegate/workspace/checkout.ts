/**
 * A repository of its own for one brief, or for one verification (spec/runner.md §3 "Workspace", W2): the history of one
 * commit, copied by a fetch, and its files.
 *
 * Always true of it: no object is shared with another repository, by link or by reference; no remote; no hook, template,
 * submodule or filter (so a file of LFS is its pointer); a name for commits; no maintenance behind the engineer's back.
 */

import { appendFile, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitOutcome } from '../../shared/git.js';
import { LOCAL_FETCH_OPTIONS, TRANSPORT_OPTIONS } from '../../shared/git-transport.js';
import { isInside } from '../../shared/inner-path.js';
import {
  failed,
  fileFailure,
  type GitTools,
  gitFailure,
  objectFormat,
  ourGit,
  type WorkspaceFailure,
} from './our-git.js';
import { isPlainFolder } from './plain-file.js';

export interface CheckoutOrder {
  /** Git directory of ours that has the commit: a mirror or a quarantine. */
  readonly source: string;
  /** Its whole name, in hexadecimal digits. */
  readonly commit: string;
  /** Is made, and stands on the commit. */
  readonly branch: string;
  /** Where: a folder that is not there yet. */
  readonly tree: string;
  /** Inside of the tree; empty: the tree itself. */
  readonly subdir: string;
}

export type CheckedOut =
  | {
      readonly kind: 'made';
      /** Where to work: the tree, or the folder in it that was asked for. */
      readonly directory: string;
      /** Names of the files of objects that it was given, all of which lie in the source. */
      readonly given: readonly string[];
    }
  | WorkspaceFailure;

/** Under which name an engineer commits; it is nobody's address. */
const CONFIGURATION = `[user]
	name = bnerd engineer
	email = engineer@bnerd.invalid
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** Makes the repository and its files. What a failure leaves at `tree`, the caller removes. */
export async function checkOut(order: CheckoutOrder, tools: GitTools): Promise<CheckedOut> {
  const { source, commit, branch, tree, subdir } = order;
  const place = { gitDir: join(tree, '.git'), workTree: tree };
  const what = `workspace ${tree}`;
  const git = (args: readonly string[]): Promise<GitOutcome> =>
    ourGit(tools, place, args, { protocols: ['file'] });
  try {
    await mkdir(tree, { mode: 0o700 });
    const steps: readonly (readonly string[])[] = [
      [
        ...['init', '--quiet', '--template=', `--object-format=${objectFormat(commit)}`],
        `--initial-branch=${branch}`,
      ],
      [
        // One file of objects, whose name tells later that it is the one it was given.
        ...[...TRANSPORT_OPTIONS, '-c', 'fetch.unpackLimit=1', 'fetch', '--quiet', '--no-tags'],
        ...[
          '--no-write-fetch-head',
          '--no-auto-maintenance',
          '--no-recurse-submodules',
          ...LOCAL_FETCH_OPTIONS,
        ],
        ...['--end-of-options', source, commit],
      ],
      // The branch is the one that HEAD names, and begins here.
      ['reset', '--quiet', '--hard', commit, '--'],
    ];
    for (const step of steps) {
      const outcome = await git(step);
      if (outcome.kind !== 'done') return gitFailure(outcome, what, tools);
    }
    await appendFile(join(place.gitDir, 'config'), CONFIGURATION);
    const directory = await folderIn(tree, subdir);
    if (directory === null)
      return failed(
        'workspace',
        `${what}: "${subdir}" is no folder of commit ${commit}; name one that it has`,
      );
    return { kind: 'made', directory, given: await packsOf(place.gitDir) };
  } catch (error) {
    return fileFailure(error, what);
  }
}

/** A folder of the commit, not one that a link of the commit leads to. */
async function folderIn(tree: string, subdir: string): Promise<string | null> {
  const root = await realpath(tree);
  const folder = subdir === '' ? root : join(root, subdir);
  return isInside(folder, root) && (await isPlainFolder(folder)) ? folder : null;
}

async function packsOf(gitDir: string): Promise<readonly string[]> {
  const names = await readdir(join(gitDir, 'objects', 'pack'));
  return names.filter((name) => name.endsWith('.pack')).sort();
}
