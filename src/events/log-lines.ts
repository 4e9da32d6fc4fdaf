/**
 * Reads the bytes of `log.jsonl` as entries: whole lines, known versions, numbers from 1 without gap or repeat.
 *
 * Reading goes on behind a broken line, from the number that the next good line names, so that a reader for
 * people can show what came later (K215); who opens the log for writing refuses on the first of `broken`.
 */

import type { LogEntry } from './log-entry.js';
import { type BrokenCode, checkEnvelope } from './log-envelope.js';
import { parseRows } from './record-lines.js';

export interface BrokenLine {
  readonly code: BrokenCode;
  /** 1-based line of the file. */
  readonly line: number;
  /** What is wrong, as the end of the sentence "line n …". */
  readonly reason: string;
}

export interface LogLines {
  readonly entries: readonly LogEntry[];
  /** For each entry, the byte offset behind its line. */
  readonly ends: readonly number[];
  /** The number that the next entry's first fact must have. */
  readonly next: number;
  readonly goodBytes: number;
  readonly torn?: { readonly line: number; readonly bytes: Uint8Array };
  readonly broken: readonly BrokenLine[];
}

/**
 * Total: any bytes give a reading.
 * @param first number that the first line must have; 1 for a whole log, more for a tail of it
 */
export function parseLog(bytes: Uint8Array, first = 1): LogLines {
  const { rows, bad, goodBytes, torn } = parseRows(bytes);
  const { kept, next, broken } = readLogRows(rows, first);
  const unreadable: BrokenLine[] = bad.map(({ line, reason }) => ({ code: 'log-broken', line, reason }));
  return {
    entries: kept.map(({ entry }) => entry),
    ends: kept.map(({ row }) => row.end),
    next,
    goodBytes,
    broken: [...unreadable, ...broken].sort((one, other) => one.line - other.line),
    ...(torn === undefined ? {} : { torn }),
  };
}

/** A parsed value with its number in what is read; numbers that are left out stand for what could not be parsed. */
export interface LogRow {
  readonly value: unknown;
  /** 1-based. */
  readonly line: number;
}

export interface LogRows<Row> {
  readonly kept: readonly { readonly row: Row; readonly entry: LogEntry }[];
  /** The number that the next entry's first fact must have. */
  readonly next: number;
  readonly broken: readonly BrokenLine[];
}

/** The same of values that somebody else has parsed. Total. */
export function readLogRows<Row extends LogRow>(rows: readonly Row[], first: number): LogRows<Row> {
  const kept: { row: Row; entry: LogEntry }[] = [];
  const broken: BrokenLine[] = [];
  let next = first;
  let line = 0;
  for (const row of rows) {
    const check = checkEnvelope(row.value);
    if (check.kind === 'refused') {
      broken.push({ code: check.code, line: row.line, reason: check.reason });
      continue;
    }
    const { entry } = check;
    // Behind a line that could not be used nobody knows the number; the entry's own is then taken.
    const skipped = row.line !== line + 1;
    if (entry.first < next || (entry.first > next && !skipped)) {
      const what = entry.first < next ? 'repeats' : 'leaves out';
      const reason = `begins with number ${entry.first} where ${next} is due: it ${what} numbers`;
      broken.push({ code: 'log-broken', line: row.line, reason });
    }
    if (entry.first < next) continue;
    kept.push({ row, entry });
    next = entry.first + check.stored;
    line = row.line;
  }
  return { kept, next, broken };
}
