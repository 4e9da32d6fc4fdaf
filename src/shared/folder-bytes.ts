/** How much disk the files of a folder take, as their sizes say it. */

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of the files below a folder; no link is followed, and what goes away meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const item of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, item.name);
    if (item.isDirectory()) bytes += await folderBytes(path);
    else
      bytes += await lstat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
