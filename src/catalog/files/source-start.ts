/**
 * The start of a file, for listings of a thousand of them. Its few kilobytes are read at one go and not through the
 * pool of threads: handing a read to a thread and taking it back costs several times the read. Whoever lists looks at
 * the signal between two groups of files.
 *
 * Always true: only regular files inside the root are read, whatever links say; nothing larger than `MAX_FILE_BYTES`;
 * what was read is valid UTF-8 without NUL, as `readSource` would have it.
 */

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { isInside } from '../../shared/inner-path.js';
import {
  faultOf,
  HEAD_BYTES,
  leadsOut,
  notText,
  strictText,
  type Unreadable,
  unreadableFor,
} from './source-file.js';

/** The start of a file as text; `unreadBytes` follow it. */
export type StartRead =
  | { readonly kind: 'read'; readonly text: string; readonly unreadBytes: number }
  | Unreadable;

/** Most frontmatter ends within the first, nearly all of it within the second. */
const START_BYTES = [4 * 1024, HEAD_BYTES];

/**
 * As much of a file as holds its frontmatter, or all of it when it is small. Of a character that is cut at the end
 * nothing is shown.
 * @param root as for `readSource`; null: whoever found the file saw that no link leads to it
 * @param wholeBytes a file of more bytes is read whole: its size alone may be what is wrong with it
 */
export function readSourceStart(path: string, root: string | null, wholeBytes: number): StartRead {
  let file: number | undefined;
  try {
    const real = root === null ? path : realpathSync.native(path);
    if (root !== null && !isInside(real, realpathSync.native(root))) return leadsOut(path, root);
    // Non-blocking, so that a pipe put in the place of a file cannot hold the reader.
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = fstatSync(file);
    return faultOf(path, status) ?? startOf(path, file, status.size, wholeBytes);
  } catch (error) {
    return unreadableFor(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function startOf(path: string, file: number, bytes: number, wholeBytes: number): StartRead {
  const lengths = bytes > wholeBytes ? [] : START_BYTES.filter((length) => length < bytes);
  for (const length of lengths) {
    const text = strictText(readBytes(file, length), 'cut');
    if (text === undefined) return notText(path);
    if (splitFrontmatter(text).kind !== 'unclosed')
      return { kind: 'read', text, unreadBytes: bytes - length };
  }
  const text = strictText(readBytes(file, bytes), 'whole');
  return text === undefined ? notText(path) : { kind: 'read', text, unreadBytes: 0 };
}

/** The first `length` bytes; fewer when the file became shorter. */
function readBytes(file: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length); // only what was filled is handed out
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, buffer, filled, length - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
