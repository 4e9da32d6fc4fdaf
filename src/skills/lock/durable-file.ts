/** Writing that survives a power cut: a new file is on the disk before it has its name, a name before it is relied on. */

import { open } from 'node:fs/promises';
import { systemCode } from '../../shared/errors.js';

/** Writes a new file and syncs it; one that is there already is an error of the system. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names of a folder durable, as far as its file system can. */
export async function syncNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems (network, FUSE) cannot sync a folder and say so; there is nothing more to do on them.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
