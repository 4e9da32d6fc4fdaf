/** Reads a file of a record at once, never through a link. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';

/** All bytes, or undefined when there is no such file. */
export async function readFileIfThere(path: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
