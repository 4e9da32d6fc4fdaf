/**
 * Makes a folder with its parents, one by one: the recursive form of Node 20 never ends where a folder can be had that
 * takes no others, such as /proc.
 */

import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './errors.js';

/**
 * Makes a folder unless it is there, or rejects with the error of the system and leaves none behind.
 * @param mode permission bits of each that is made, before the umask of the process
 * @returns what had to be made, the deepest first
 */
export async function makeFolder(path: string, mode = 0o777): Promise<readonly string[]> {
  const first = await makeOne(path, mode);
  if (first !== 'no-parent') return first === 'made' ? [path] : [];
  const parents = await makeFolder(dirname(path), mode);
  try {
    const second = await makeOne(path, mode);
    if (second === 'no-parent') throw noParent(path);
    return second === 'made' ? [path, ...parents] : parents; // there: somebody else was faster
  } catch (error) {
    await takeBack(parents);
    throw error;
  }
}

/** Whoever takes empty folders away does that once at its end: so many at the same moment there are not. */
const TRIES = 10;

/**
 * Does something in a folder that is made for it, and made again when somebody takes it away while it is empty.
 * @param work may be called several times; must reject with `ENOENT` where the folder is not there
 */
export async function inFolder<Value>(
  path: string,
  mode: number,
  work: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      await makeFolder(path, mode);
      return await work();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || tries >= TRIES) throw error;
    }
  }
}

/** Takes folders away that were made; one that somebody has put something into since stays. */
export async function takeBack(made: readonly string[]): Promise<void> {
  for (const folder of made) await rmdir(folder).catch(() => {});
}

async function makeOne(path: string, mode: number): Promise<'made' | 'there' | 'no-parent'> {
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(path, { mode });
      return 'made';
    } catch (error) {
      if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return 'no-parent';
      const there = await whatIsThere(path);
      if (there === 'folder') return 'there';
      // One that was there when it was to be made, and is not any more, was taken away in between.
      if (systemCode(error) !== 'EEXIST' || there !== 'nothing' || tries >= TRIES) throw error;
    }
  }
}

async function whatIsThere(path: string): Promise<'folder' | 'nothing' | 'something'> {
  return stat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'something'),
    (error: unknown) => (systemCode(error) === 'ENOENT' ? 'nothing' : 'something'),
  );
}

/** Said as the system says it: whoever makes a folder for some work tries that again. */
function noParent(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, mkdir '${path}'`), { code: 'ENOENT' });
}
