/**
 * Reads files that an engineer could write, as they are: never through a link, never from a pipe or device that could keep
 * us waiting, never beyond a bound.
 */

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { errorText, systemCode } from '../../shared/errors.js';

export type PlainFile =
  | { readonly kind: 'open'; readonly file: FileHandle; readonly bytes: number }
  | { readonly kind: 'missing' }
  /** `why` ends the sentence "it …". */
  | { readonly kind: 'unusable'; readonly why: string };

/** Opens a regular file; to be closed by the caller. Its folder is judged by `isPlainFolder`. */
export async function openPlainFile(path: string): Promise<PlainFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unusable', why: code === 'ELOOP' ? 'is a link' : `cannot be read: ${errorText(error)}` };
  }
  const stats = await file.stat();
  if (stats.isFile()) return { kind: 'open', file, bytes: stats.size };
  await file.close();
  return { kind: 'unusable', why: 'is no regular file' };
}

/** The bytes of a small file. */
export async function readPlainFile(
  path: string,
  maxBytes: number,
): Promise<
  { readonly kind: 'read'; readonly bytes: Buffer } | Exclude<PlainFile, { readonly kind: 'open' }>
> {
  const opened = await openPlainFile(path);
  if (opened.kind !== 'open') return opened;
  try {
    const buffer = Buffer.alloc(Math.min(opened.bytes, maxBytes) + 1);
    let used = 0;
    for (;;) {
      const { bytesRead } = await opened.file.read(buffer, used, buffer.length - used);
      used += bytesRead;
      if (bytesRead === 0 || used === buffer.length) break;
    }
    if (used > maxBytes) return { kind: 'unusable', why: `has more than ${maxBytes} bytes` };
    return { kind: 'read', bytes: buffer.subarray(0, used) };
  } finally {
    await opened.file.close();
  }
}

/**
 * Whether an open file lies where its path says, which a process that is still there could have made lead elsewhere between
 * two looks. Known on Linux alone; elsewhere the look before has to do.
 * @param path without a link in it
 */
export async function liesAt(file: FileHandle, path: string): Promise<boolean> {
  return (await readlink(`/proc/self/fd/${file.fd}`).catch(() => path)) === path;
}

/** Whether there is a folder at a path, without a link anywhere on the way. */
export async function isPlainFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory() && (await realpath(path)) === path;
  } catch {
    return false; // not there, or not to be looked at
  }
}
