/**
 * The bytes of an open file: read in pieces, never more than a bound, with a look at the signal between pieces.
 */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { cancelled } from '../../shared/abort.js';
import { sha256 } from '../../shared/digest.js';

const PIECE_BYTES = 256 * 1024;

/** Longest file that is read or replaced: beyond this even the digest would take seconds. */
export const FILE_BYTES = 256 * 1024 * 1024;

/** Pieces of a file from its first byte on. The piece is used again for the next one: copy what is kept. */
export async function* pieces(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = 0; ; ) {
    if (signal.aborted) throw cancelled(signal);
    const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export interface Content {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, lower-case hex. */
  readonly digest: string;
}

/** A whole file; undefined when it is longer than `maxBytes`. */
export async function wholeFile(
  handle: FileHandle,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Content | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces(handle, signal)) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    parts.push(Buffer.from(piece));
  }
  const bytes = Buffer.concat(parts);
  return { bytes, digest: sha256(bytes) };
}

/** SHA-256 of a file of any length. */
export async function fileSha256(handle: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces(handle, signal)) hash.update(piece);
  return hash.digest('hex');
}

/** As git does: a NUL among the first 8,000 bytes. */
export function looksBinary(start: Uint8Array): boolean {
  return start.subarray(0, 8_000).includes(0);
}

/** Text of bytes, a byte order mark kept; undefined when they are not UTF-8. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8: the one thing a fatal decoder throws for
  }
}
