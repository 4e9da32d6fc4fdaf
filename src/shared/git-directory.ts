/** Where the git directory of a tree lies, looked for in that tree and nowhere above it. */

import type { Stats } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { systemCode } from './errors.js';

export type GitDirectory =
  | { readonly kind: 'found'; readonly gitDir: string }
  /** There is no `.git`. */
  | { readonly kind: 'none' }
  /** There is a `.git` that is not used: a link, unreadable, or pointing nowhere. */
  | { readonly kind: 'unusable' };

/** More than any path; a longer file is no pointer to a git directory. */
const POINTER_BYTES = 4_096;

/** `.git` as a directory, or as the file of a linked work tree; never a link. */
export async function gitDirectory(root: string): Promise<GitDirectory> {
  const path = join(root, '.git');
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    return { kind: ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '') ? 'none' : 'unusable' };
  }
  if (stats.isDirectory()) return { kind: 'found', gitDir: path };
  if (!stats.isFile() || stats.size > POINTER_BYTES) return { kind: 'unusable' };
  try {
    const target = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(path, 'utf8'))?.[1];
    if (target === undefined) return { kind: 'unusable' };
    return { kind: 'found', gitDir: await realpath(isAbsolute(target) ? target : join(root, target)) };
  } catch {
    return { kind: 'unusable' }; // unreadable, or it points nowhere
  }
}
