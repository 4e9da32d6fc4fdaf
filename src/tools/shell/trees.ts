/**
 * Whether a search below a directory meets nothing that a file tool would refuse (spec/team.md §2): no file of the
 * secret list at any depth. It looks at names alone and follows no link, as the programs that search do.
 */

import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../shared/errors.js';
import { secretVerdict } from '../files/secret-paths.js';

/** Names that are looked at; a search below more of them is not class Read. */
const MOST_NAMES = 50_000;

/**
 * @param root absolute path of the root
 * @param segments names from the root down to the directory, which holds no link on its way
 */
export async function holdsNoSecret(root: string, segments: readonly string[]): Promise<boolean> {
  let left = MOST_NAMES;
  const stats = await lstat(join(root, ...segments)).catch(() => undefined); // does not exist: nothing is read
  if (stats?.isDirectory() !== true) return true;
  const waiting: (readonly string[])[] = [segments];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    try {
      for await (const entry of await opendir(join(root, ...folder))) {
        const path = [...folder, entry.name];
        if (--left < 0 || secretVerdict(path).kind !== 'plain') return false;
        if (entry.isDirectory()) waiting.push(path);
        else if (!entry.isFile() && !entry.isSymbolicLink()) return false; // a pipe or a device would be read
      }
    } catch (error) {
      const code = systemCode(error);
      // Gone meanwhile, or closed to us as it is to the program.
      if (code !== 'ENOENT' && code !== 'EACCES') return false;
    }
  }
  return true;
}
