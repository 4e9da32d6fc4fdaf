/** Where a shell line runs, and what the paths in it are on disk. Looks only; opens no file and follows no link. */

import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import { walkText } from '../files/confinement.js';
import { openDirectory } from '../files/descriptor-walk.js';
import type { Location, Roots } from '../files/roots.js';
import { locate } from '../files/roots.js';
import { secretVerdict } from '../files/secret-paths.js';
import type { ReadUse } from './read-list.js';
import { holdsNoSecret } from './trees.js';

export interface ShellPlace {
  readonly kind: 'place';
  readonly location: Location;
  /** Absolute path of the directory. */
  readonly path: string;
}

/** The directory a line runs in: inside the roots, and no link on the way. */
export async function openPlace(roots: Roots, cwd: string): Promise<ShellPlace | Refusal> {
  const location = locate(roots, cwd);
  if (location.kind === 'refused') return refused(`argument "cwd": ${location.text}`);
  const outcome = await openDirectory(location.root, location.segments);
  if (outcome.kind !== 'open') return refused(`argument "cwd": ${walkText(location, outcome)}`);
  await outcome.directory.close();
  return { kind: 'place', location, path: join(location.root, ...location.segments) };
}

/** The words that name something in a directory; git asks the same where no `--` stands. */
export async function existingPaths(
  place: ShellPlace,
  words: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    words.slice(1).map(async (word) => {
      const path = isAbsolute(word) ? word : join(place.path, word);
      const stats = await lstat(path).catch(() => undefined); // not there, or not a possible path
      return stats === undefined ? [] : [word];
    }),
  );
  return new Set(found.flat());
}

/**
 * Whether every path of a line of class Read lies inside the roots with no link on the way, and off the secret
 * list, and with it all that is searched below. What does not exist is fine: the program will say so.
 */
export async function areReadable(
  roots: Roots,
  place: ShellPlace,
  { paths, files, trees }: ReadUse,
): Promise<boolean> {
  for (const path of [...paths, ...trees]) {
    if ((await lookAt(roots, place, path)) === 'closed') return false;
  }
  for (const path of files) {
    if (!/^(file|missing)$/.test(await lookAt(roots, place, path))) return false;
  }
  for (const path of trees) {
    const location = locate(roots, isAbsolute(path) ? path : join(place.path, path));
    if (location.kind === 'refused' || !(await holdsNoSecret(location.root, location.segments))) return false;
  }
  return true;
}

/** What a path of a line is; `closed`: outside, behind a link, of the secret list, or neither file nor directory. */
async function lookAt(
  roots: Roots,
  place: ShellPlace,
  path: string,
): Promise<'file' | 'directory' | 'missing' | 'closed'> {
  // `a/..` is not where it seems to be when `a` is a link, which the program would follow.
  if (path.split('/').includes('..')) return 'closed';
  const location = locate(roots, isAbsolute(path) ? path : join(place.path, path));
  if (location.kind === 'refused' || secretVerdict(location.segments).kind !== 'plain') return 'closed';
  const name = location.segments.at(-1);
  if (name === undefined) return 'directory';
  const outcome = await openDirectory(location.root, location.segments.slice(0, -1));
  if (outcome.kind !== 'open') return outcome.kind === 'missing' ? 'missing' : 'closed';
  try {
    const stats = await lstat(outcome.directory.entry(name)).catch(() => undefined); // does not exist
    if (stats === undefined) return 'missing';
    if (stats.isFile()) return 'file';
    return stats.isDirectory() ? 'directory' : 'closed';
  } finally {
    await outcome.directory.close();
  }
}
