/**
 * The file of an engineer's transcript, as it lies there: read once, its beginning and its end kept, the whole of it put
 * under a digest. Who wrote it and what it says, others judge.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '../shared/errors.js';

/** Longer than any head: a brief has at most 4 MiB, and what a runner adds comes from its own package. */
const HEAD_BYTES = 16 << 20;
/** Of output that is shown. */
const TAIL_BYTES = 256 << 10;
/** Far longer than one that a runner writes; a file that never ends is none. */
const LONGEST = 1 << 30;
const PIECE = 1 << 20;

export interface TranscriptFile {
  readonly head: Buffer;
  /** The last of its bytes; `head` may hold them too. */
  readonly tail: Buffer;
  readonly bytes: number;
  readonly sha256: string;
}

export type TranscriptReading =
  | ({ readonly kind: 'read' } & TranscriptFile)
  /** `reason`, as the end of "<path>: ". */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads one; a file that is written meanwhile is read as far as it then goes. */
export async function readTranscriptFile(path: string): Promise<TranscriptReading> {
  try {
    // Not to wait for who writes into a pipe.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return { kind: 'unreadable', reason: 'it is no file' };
      return await readOpen(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    return { kind: 'unreadable', reason: errorText(error) };
  }
}

async function readOpen(file: FileHandle): Promise<TranscriptReading> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let tail = Buffer.alloc(0);
  let bytes = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE), 0, PIECE, bytes);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    if (bytes < HEAD_BYTES) head.push(piece);
    tail = Buffer.concat([tail, piece]).subarray(-TAIL_BYTES);
    bytes += bytesRead;
    if (bytes > LONGEST) return { kind: 'unreadable', reason: `it is longer than ${LONGEST} bytes` };
  }
  return { kind: 'read', head: Buffer.concat(head), tail, bytes, sha256: hash.digest('hex') };
}
