/** Whether a folder is this user's alone to write: whoever can write where keys lie says whose signatures count. */

import { stat } from 'node:fs/promises';
import { systemCode } from '../../shared/errors.js';

/** Why others may write a folder, behind its path; null: they may not, or it is not there. What root owns is as good. */
export async function othersMayWrite(path: string): Promise<string | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  const { uid, mode } = found;
  const own = process.getuid?.() ?? uid;
  if (uid !== own && uid !== 0) return `belongs to another user (${uid})`;
  return (mode & 0o022) === 0 ? null : `may be written by others (mode ${(mode & 0o777).toString(8)})`;
}
