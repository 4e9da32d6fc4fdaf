/** Whether anything lies at a path: asked where a missing thing and one that nobody can look at come to the same. */

import { lstat } from 'node:fs/promises';

/** Whatever it is; a link counts without being followed. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false; // not there, or nothing that could be looked at
  }
}
