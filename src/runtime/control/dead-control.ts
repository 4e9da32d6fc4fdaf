/**
 * The control socket of a process that died: taken away by whoever takes its team up. Never touches anything but a
 * socket and the folder that held nothing else: the path comes from a file.
 */

import { lstat, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Removes the socket and its folder. Never rejects: what is left in the temporary folder disturbs nobody. */
export async function removeDeadControl(socketPath: string): Promise<void> {
  try {
    if (!(await lstat(socketPath)).isSocket()) return;
    await unlink(socketPath);
    await rmdir(dirname(socketPath));
  } catch {
    // It was gone already, or is not only ours.
  }
}
