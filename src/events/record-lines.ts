/**
 * The line discipline of every file of a record: JSON values, one a line, each ended by LF.
 *
 * 1. A line is written together with its LF and acknowledged after an fsync of both. So bytes behind the last
 *    LF were never acknowledged, even when they happen to be whole JSON: they are a torn tail.
 * 2. A last line that ends in LF but is no JSON (a block of NULs, half a character) is torn as well: the system
 *    had grown the file before it wrote the bytes.
 * 3. A line that is no JSON *before* a later one is damage, and is named by its number.
 *
 * Pure: bytes in, rows out; nothing is repaired here.
 */

import { isUtf8 } from 'node:buffer';

export interface Row {
  readonly value: unknown;
  /** 1-based. */
  readonly line: number;
  /** Byte offset behind the line's LF. */
  readonly end: number;
}

export interface BadRow {
  readonly line: number;
  /** The end of the sentence "line n …". */
  readonly reason: string;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** Lines that are no JSON and stand before a later line, in order. */
  readonly bad: readonly BadRow[];
  /** Length of the file without its torn tail. */
  readonly goodBytes: number;
  /** The torn tail and the number of its line. */
  readonly torn?: { readonly line: number; readonly bytes: Uint8Array };
}

const LF = 10;

/** Splits and parses the bytes of a file. Total: any bytes give rows. */
export function parseRows(bytes: Uint8Array): Rows {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: Row[] = [];
  const bad: BadRow[] = [];
  let start = 0;
  let line = 1;
  for (let newline = buffer.indexOf(LF); newline !== -1; newline = buffer.indexOf(LF, start)) {
    const parsed = parseLine(buffer.subarray(start, newline));
    if (parsed.kind === 'bad' && newline === buffer.length - 1) break;
    if (parsed.kind === 'value') rows.push({ value: parsed.value, line, end: newline + 1 });
    else bad.push({ line, reason: parsed.reason });
    start = newline + 1;
    line++;
  }
  const tail = start < buffer.length ? { torn: { line, bytes: buffer.subarray(start) } } : {};
  return { rows, bad, goodBytes: start, ...tail };
}

type ParsedLine =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'bad'; readonly reason: string };

function parseLine(bytes: Buffer): ParsedLine {
  // Checked first: decoding would turn half a character into U+FFFD and go on.
  if (!isUtf8(bytes)) return { kind: 'bad', reason: 'is not UTF-8' };
  try {
    return { kind: 'value', value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    const reason = bytes.length === 0 ? 'is empty' : bytes.includes(0) ? 'holds NUL bytes' : 'is not JSON';
    return { kind: 'bad', reason };
  }
}
