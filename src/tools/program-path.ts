/**
 * The `PATH` for programs that this program itself starts, or starts for a call of class Read: without entries
 * that members or a repository can fill. `npx` puts `node_modules/.bin` of the project first, where a planted
 * `ls` or `git` would be met.
 */

import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Roots } from './roots.js';
import { locate } from './roots.js';

/** The entries of a `PATH` that are absolute and lie, links resolved, outside every root. */
export async function programPath(path: string, roots: Roots): Promise<string> {
  const kept: string[] = [];
  for (const entry of path.split(':')) {
    if (!isAbsolute(entry)) continue;
    const real = await realpath(entry).catch(() => undefined); // does not exist: nothing is found there
    if (real !== undefined && locate(roots, real).kind === 'refused') kept.push(entry);
  }
  return kept.join(':');
}
