/** Writing that survives a power cut: a new file is on the disk before it has its name, a name before it is relied on. */

import { open } from 'node:fs/promises';
import { systemCode } from './errors.js';

/**
 * Writes a new file and syncs it; one that is there already is an error of the system.
 * @param mode permission bits, before the umask of the process
 */
export async function writeNewFile(path: string, text: string, mode = 0o666): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names that were added, replaced or removed in a folder durable, as far as its file system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Some file systems (network, FUSE) cannot sync a folder and say so; there is nothing more to do on them.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    await folder.close();
  }
}
