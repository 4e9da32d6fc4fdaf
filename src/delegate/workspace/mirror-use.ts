/**
 * When a mirror was last asked for: a stamp beside the mirrors, written before each use, since nothing in a mirror itself
 * changes when a brief works on a commit that it has.
 */

import { rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder } from '../../shared/make-folder.js';

/** Says that a mirror is used now. */
export async function markUse(workdir: string, mirror: string): Promise<void> {
  await makeFolder(join(workdir, FOLDER), 0o700);
  await writeFile(stamp(workdir, mirror), '\n', { mode: 0o600 });
}

/**
 * In milliseconds since the epoch; of one without a stamp when it was made; null: there is no such mirror.
 * @param lies where its folder is, when it has been moved out of the way
 */
export async function lastUse(workdir: string, mirror: string, lies = mirror): Promise<number | null> {
  const made = await stat(lies).catch(() => null);
  if (made === null) return null;
  const used = await stat(stamp(workdir, mirror)).catch(() => null);
  return (used ?? made).mtimeMs;
}

/** Behind the end of a mirror. */
export async function forgetUse(workdir: string, mirror: string): Promise<void> {
  await rm(stamp(workdir, mirror), { force: true });
}

const FOLDER = 'mirror-use';

function stamp(workdir: string, mirror: string): string {
  return join(workdir, FOLDER, basename(mirror));
}
