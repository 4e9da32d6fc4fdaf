/**
 * Opens a transcript for writing without reading all of it: its last line tells the newest turn (R4) and its
 * end whether it is torn. Only where the end is not clean is the whole file read. Damage before it is found
 * when the transcript itself is read.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Finding } from '../shared/findings.js';
import { brokenError } from './broken-record.js';
import { parseRows } from './record-lines.js';
import { setAside } from './torn-tail.js';
import { parseTranscript } from './transcript-lines.js';
import { placeOf, TRANSCRIPT_START, type TranscriptPlace } from './transcript-order.js';
import { readFileIfThere } from './whole-file.js';

/** Holds the last line of nearly every transcript; results are bounded by the tools that give them. */
const WINDOW_BYTES = 65_536;

export interface OpenedTranscript {
  readonly length: number;
  readonly place: TranscriptPlace;
  readonly findings: readonly Finding[];
}

/** Mends a torn tail; makes what is left durable. Rejects with `transcript-broken` when the end is damaged. */
export async function openTranscript(
  path: string,
  asidePath: string,
  wallMs: number,
): Promise<OpenedTranscript> {
  const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    // A process that died may have left bytes that only the system's cache holds.
    await handle.datasync();
    const { size } = await handle.stat();
    const place = await cleanEnd(handle, size);
    if (place !== undefined) return { length: size, place, findings: [] };
  } finally {
    await handle.close();
  }
  return mend(path, asidePath, wallMs);
}

/** The place of the last line when the end of the file is as a whole commit leaves it, else undefined. */
async function cleanEnd(handle: FileHandle, size: number): Promise<TranscriptPlace | undefined> {
  if (size === 0) return TRANSCRIPT_START;
  const window = Buffer.alloc(Math.min(size, WINDOW_BYTES));
  await handle.read(window, 0, window.length, size - window.length);
  // Unless it is the whole file, the window begins in the middle of a line.
  const start = window.length === size ? 0 : window.indexOf(10) + 1;
  const last = parseRows(window.subarray(start)).rows.at(-1);
  if (last === undefined || start + last.end !== window.length) return undefined;
  const { value } = last;
  if (typeof value !== 'object' || value === null || !('id' in value)) return undefined;
  return typeof value.id === 'string' ? placeOf(value.id) : undefined;
}

async function mend(path: string, asidePath: string, wallMs: number): Promise<OpenedTranscript> {
  const bytes = (await readFileIfThere(path)) ?? new Uint8Array();
  const { place, goodBytes, broken, torn } = parseTranscript(bytes);
  const [first] = broken;
  if (first !== undefined) throw brokenError({ ...first, code: 'transcript-broken', path });
  if (torn === undefined) return { length: goodBytes, place, findings: [] };
  const finding = await setAside({ path, asidePath, goodBytes, ...torn }, 'transcript-torn', wallMs);
  return { length: goodBytes, place, findings: [finding] };
}
