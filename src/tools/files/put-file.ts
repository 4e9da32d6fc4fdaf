/**
 * One file put in place of another: written aside under a name of this process, made durable, renamed (W1 of
 * `file-changes.ts`). A process that was killed in between leaves the file that lies aside; it is told by its name
 * and taken away when its process is gone.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, readdir, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../../shared/errors.js';
import { lookAtProcess } from '../../shared/process-identity.js';
import type { Directory } from './descriptor-walk.js';

/** A file that lies aside, and the process that wrote it. */
const ABANDONED = /^\.bnerd-(\d+)-[0-9a-f]{12}\.tmp$/;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Puts a file in place. Gives the reason when it was not put there.
 * @param mode permission bits of the file that it replaces; undefined when no file may be there
 */
export async function putFile(
  directory: Directory,
  name: string,
  bytes: Buffer,
  mode: number | undefined,
): Promise<string | undefined> {
  const temporary = `.bnerd-${process.pid}-${randomBytes(6).toString('hex')}.tmp`; // see ABANDONED
  const from = directory.entry(temporary);
  const handle = await open(from, CREATE, 0o666);
  try {
    try {
      await handle.writeFile(bytes);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!(await directory.unmoved())) return 'is refused: its directory was replaced meanwhile';
    if (mode !== undefined) await rename(from, directory.entry(name));
    else if (!(await placeNew(from, directory.entry(name)))) {
      return 'was made by somebody else meanwhile; read it, and name its digest';
    }
    await directory.sync();
    return undefined;
  } finally {
    await unlink(from).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error; // renamed away is the usual case
    });
  }
}

/** A hard link fails where a name is taken, which a rename does not; some file systems have none. */
async function placeNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'EMLINK') throw error;
    await rename(from, to);
    return true;
  }
}

/** Takes away what processes that are gone have left aside in a directory. What cannot be judged stays. */
export async function clearAbandoned(directory: Directory): Promise<void> {
  for (const name of await readdir(directory.entry('.'))) {
    const pid = Number(ABANDONED.exec(name)?.[1] ?? process.pid);
    if (pid === process.pid || (await lookAtProcess(pid)).kind !== 'gone') continue;
    await unlink(directory.entry(name)).catch((error: unknown) => {
      // Somebody else took it away; or it is a directory of that name, or not ours to take: no reason to write nothing.
      if (!['ENOENT', 'EISDIR', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
    });
  }
}
