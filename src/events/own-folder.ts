/** Folders of a record: for the owner alone. */

import { chmod, stat } from 'node:fs/promises';
import { makeFolder } from '../shared/make-folder.js';

/** Makes a folder 0700, its parents too, unless it is there; says whether it had to be made. */
export async function ensureFolder(path: string): Promise<boolean> {
  return (await makeFolder(path, 0o700)).length > 0;
}

/** Takes the rights of group and others away; says whether there were any. */
export async function closeToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return false;
  await chmod(path, mode & 0o700);
  return true;
}
