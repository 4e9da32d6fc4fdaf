/**
 * Repositories without a tree that we make for ourselves, and whether one is still as we made it: an engineer that runs as
 * the same user could write into it, and what it would write there is obeyed by the next git that is run in it (W1).
 */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitOutcome } from '../../shared/git.js';
import { bare, type GitTools, objectFormat, ourGit } from './our-git.js';
import { isPlainFolder, readPlainFile } from './plain-file.js';

/** Makes an empty one in a folder that is there, with no hook and nothing else of a template. */
export function initBare(tools: GitTools, gitDir: string, commit: string): Promise<GitOutcome> {
  const args = ['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat(commit)}`];
  return ourGit(tools, bare(gitDir), args);
}

const CONFIG_BYTES = 4 << 10;

/** All that `git init` writes into a configuration; none of it names a program, a file or another repository. */
const CONFIG_LINE =
  /^(?:\[(?:core|extensions)\]|\t(?:repositoryformatversion|filemode|bare|symlinks|ignorecase|precomposeunicode|objectformat|refstorage) = \w+)$/;

/** What `git init` does not write: settings, objects and history from elsewhere. */
const STRANGE: readonly string[] = ['commondir', 'shallow', 'info/grafts', 'objects/info/alternates'];

/**
 * Whether nobody has changed what a git that is run in it would obey. Total.
 * @param gitDir without a link in it
 */
export async function isAsMade(gitDir: string): Promise<boolean> {
  if (!(await isPlainFolder(gitDir))) return false;
  const config = await readPlainFile(join(gitDir, 'config'), CONFIG_BYTES);
  if (config.kind !== 'read') return false;
  const lines = config.bytes.toString('latin1').split('\n');
  if (!lines.every((line) => line === '' || CONFIG_LINE.test(line))) return false;
  for (const part of STRANGE) if (await isThere(join(gitDir, part))) return false;
  return true;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
