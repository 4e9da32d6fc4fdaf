/**
 * The `PATH` for programs that this program itself starts, without folders that members or a repository can fill:
 * `npx` puts `node_modules/.bin` of the project first, where a planted `git` would be met.
 *
 * Always true: it is never empty. To a system an empty `PATH`, or an empty entry of one, is the current directory,
 * which for git is the very tree that is asked about.
 */

import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

/** Where the programs of a system lie; what a shell without a `PATH` looks through. */
const SYSTEM_FOLDERS = '/usr/bin:/bin';

/**
 * The entries of a `PATH` that are absolute, exist and are no stranger's; those of the system where none is left.
 * @param isStrangers asked about the real path of each
 */
export async function programPath(path: string, isStrangers: (folder: string) => boolean): Promise<string> {
  const kept: string[] = [];
  for (const entry of path.split(':')) {
    if (!isAbsolute(entry)) continue;
    const real = await realpath(entry).catch(() => undefined); // does not exist: nothing is found there
    if (real !== undefined && !isStrangers(real)) kept.push(entry);
  }
  return kept.length === 0 ? SYSTEM_FOLDERS : kept.join(':');
}
