/** Removes a folder that others have filled: no link in it is followed, and rights they took away from it are no obstacle. */

import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../shared/errors.js';

/** Removes a file or folder of ours; what is not there any more is no error. */
export async function removeTree(path: string): Promise<void> {
  try {
    await remove(path);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(systemCode(error) ?? '')) throw error;
    await openFolders(path);
    await remove(path);
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** What lies in a folder can be listed and removed by its owner once the folder can be read, written and searched. */
async function openFolders(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) return; // a link is none
  await chmod(folder, 0o700);
  for (const item of await readdir(folder, { withFileTypes: true }))
    if (item.isDirectory()) await openFolders(join(folder, item.name));
}
