/** Folders of a record: for the owner alone, and names in them that survive a power cut. */

import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../shared/errors.js';

/**
 * Makes a folder 0700 unless it is there; says whether it had to be made. Parents are made the same way, one by one:
 * the recursive form of Node 20 never ends where a folder can be had that takes no others, such as /proc.
 */
export async function ensureFolder(path: string): Promise<boolean> {
  const made = await makeOne(path);
  if (made !== 'no-parent') return made === 'made';
  await ensureFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    if (!(await isFolder(path))) throw error; // else somebody else was faster
  });
  return true;
}

async function makeOne(path: string): Promise<'made' | 'there' | 'no-parent'> {
  try {
    await mkdir(path, { mode: 0o700 });
    return 'made';
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return 'no-parent';
    if (await isFolder(path)) return 'there';
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Takes the rights of group and others away; says whether there were any. */
export async function closeToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return false;
  await chmod(path, mode & 0o700);
  return true;
}

/** Makes names that were added, replaced or removed in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems (network, FUSE) cannot sync a folder and say so; there is nothing more to do on them.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
