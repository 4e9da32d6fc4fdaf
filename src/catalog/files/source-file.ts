/**
 * Reading one file of the catalogue. A file that cannot be read is a finding, never an exception.
 *
 * Always true: only regular files inside the root of their tier are read, whatever links say; nothing larger
 * than `MAX_FILE_BYTES` is; what is returned as text is valid UTF-8 without NUL.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { isInside } from '../../shared/inner-path.js';
import type { Tier } from '../tiers.js';
import type { AskedFile } from '../trust.js';

/** The largest role in the wild is 64 KiB; a file beyond this was not written for a prompt. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Frontmatter nearly always ends within this; when it does not, the whole file is read. */
export const HEAD_BYTES = 16 * 1024;

/** A file of the catalogue with its text. */
export interface SourceFile {
  readonly path: string;
  readonly tier: Tier;
  readonly text: string;
  /** What an approval of the file names; absent where the file counts by where it lies. */
  readonly asked?: AskedFile;
}

export type SourceRead = { readonly kind: 'read'; readonly text: string } | Unreadable;

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly finding: Finding;
}

/**
 * The whole text of a file.
 * @param root the file, with links followed, must lie inside this folder
 */
export function readSource(path: string, root: string): Promise<SourceRead> {
  return withFile<SourceRead>(path, root, async (file, bytes) => {
    const text = strictText(await readBytes(file, bytes), 'whole');
    return text === undefined ? notText(path) : { kind: 'read', text };
  });
}

/**
 * As much of a file as holds its frontmatter, for listings. A character cut at the end of the part that was
 * read, or bytes that are no UTF-8, are shown as U+FFFD: `readSource` is the one that refuses.
 */
export function readSourceHead(path: string, root: string): Promise<SourceRead> {
  return withFile<SourceRead>(path, root, async (file, bytes) => {
    const head = (await readBytes(file, Math.min(bytes, HEAD_BYTES))).toString('utf8');
    if (bytes <= HEAD_BYTES || splitFrontmatter(head).kind !== 'unclosed')
      return { kind: 'read', text: head };
    return { kind: 'read', text: (await readBytes(file, bytes)).toString('utf8') };
  });
}

async function withFile<Read>(
  path: string,
  root: string,
  read: (file: FileHandle, bytes: number) => Promise<Read>,
): Promise<Read | Unreadable> {
  let file: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!isInside(real, await realpath(root))) return leadsOut(path, root);
    // Non-blocking, so that a pipe put in the place of a file cannot hold the reader.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = await file.stat();
    const fault = faultOf(path, status);
    return fault ?? (await read(file, status.size));
  } catch (error) {
    return unreadableFor(path, error);
  } finally {
    await file?.close();
  }
}

/** Why what was opened is not read; undefined when it is. */
export function faultOf(path: string, status: Stats): Unreadable | undefined {
  if (!status.isFile()) {
    return unreadable(path, 'not-a-file', 'is not a regular file', 'put a Markdown file in its place');
  }
  if (status.size <= MAX_FILE_BYTES) return undefined;
  const found = `has ${status.size} bytes; at most ${MAX_FILE_BYTES} are read`;
  return unreadable(path, 'file-too-large', found, 'shorten it');
}

/** The first `length` bytes; fewer when the file became shorter. */
async function readBytes(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length); // only what was filled is handed out
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Valid UTF-8 without NUL; of content that is cut the last character may be half there, and is dropped. */
export function strictText(content: Uint8Array, ending: 'whole' | 'cut'): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const text = decoder.decode(content, { stream: ending === 'cut' });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined; // the decoder's only failure is malformed UTF-8
  }
}

export function leadsOut(path: string, root: string): Unreadable {
  const remedy = 'replace the link by the file itself';
  return unreadable(path, 'link-leads-out', `is a link that leads out of ${root}`, remedy);
}

export function notText(path: string): Unreadable {
  return unreadable(path, 'not-text', 'is not UTF-8 text', 'save it as UTF-8, without NUL characters');
}

/** The finding on what the file system said. */
export function unreadableFor(path: string, error: unknown): Unreadable {
  const code = systemCode(error);
  if (code === 'ENOENT') {
    return unreadable(path, 'file-missing', 'does not exist', 'check the path, or remove the dangling link');
  }
  const remedy = 'make it a regular file that you may read (ls -l shows its kind and permissions)';
  return unreadable(path, 'unreadable-file', `cannot be read: ${code ?? errorText(error)}`, remedy);
}

function unreadable(path: string, code: string, found: string, remedy: string): Unreadable {
  const finding: Finding = { code, severity: 'error', path, message: `the file ${found}`, remedy };
  return { kind: 'unreadable', finding };
}
