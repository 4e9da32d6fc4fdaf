/**
 * How a log lies in its stream: an entry of the stream is one commit of one process, with one or more entries of the log.
 *
 * Its id is `0-<number of its first fact>`. Its fields: `h`, its head, and `e`, its entries as a JSON array, each with the ids
 * of its commands. The head has four words, a blank between two: digest, number of facts, digest of the entry before (empty
 * in the first), writer. It is one field because every field costs the server and the client a part of a microsecond on
 * its way through the script: six of them were a sixth of an append.
 *
 * The digest is over the team, the digest before, the writer and `e`: a chain, so that who knows the newest digest knows all
 * that stands before it; and the writer is drawn anew by every process, so that two of them that say the same never take
 * each other's entry for their own.
 *
 * Pure: what goes in and what was read, no server.
 */

import { sha256 } from '../../shared/digest.js';
import { isObject } from '../../shared/is-object.js';
import type { LogEntry } from '../log-entry.js';
import { type BrokenLine, readLogRows } from '../log-lines.js';

/** An entry of a stream as the client gives it: id, then names and values in turn. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** The end of a log as somebody knows it; `next` is the number that the next fact must have. */
export interface LogHead {
  readonly id: string;
  readonly digest: string;
  readonly next: number;
}

/** Before the first entry. */
export const LOG_START: LogHead = { id: '', digest: '', next: 1 };

/** A head, the value of the first field, begins with so many letters of digest: scripts of the server compare them. */
export const DIGEST_LETTERS = 64;

/** What the head of an entry says. */
export interface StreamHead {
  readonly digest: string;
  /** Number of facts, as it is written. */
  readonly count: string;
  readonly prev: string;
  readonly writer: string;
}

/** Reads a head; undefined when it is none. */
export function readHead(text: string): StreamHead | undefined {
  const [digest, count, prev, writer, ...more] = text.split(' ');
  if (digest === undefined || count === undefined || prev === undefined || writer === undefined)
    return undefined;
  return more.length === 0 ? { digest, count, prev, writer } : undefined;
}

/** The digest that an entry of a stream says it has; empty when it says none. */
export function digestIn(entry: RawEntry): string {
  return readHead(fieldOf(entry, 'h'))?.digest ?? '';
}

/** A field of an entry of a stream; empty when it has none of the name. */
export function fieldOf([, fields]: RawEntry, name: string): string {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1] ?? '';
  return '';
}

/** What one value may hold: far more than any record of ours has in one, and not so much that who reads it has no room. */
export const MOST_VALUE_BYTES = 64 * 1024 * 1024;

/** What is wrong with the size of a value that others may have written; undefined: nothing. Asked before it is parsed. */
export function tooLarge(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > MOST_VALUE_BYTES ? `holds ${bytes} bytes, allowed are ${MOST_VALUE_BYTES}` : undefined;
}

export interface Sealed {
  /** Names and values in turn. */
  readonly fields: readonly ['h', string, 'e', string];
  /** The end of the log once this is its newest entry. */
  readonly head: LogHead;
  /** What it adds to the size of the record. */
  readonly bytes: number;
}

/** The id of the stream entry whose first fact has the number. */
export function streamId(first: number): string {
  return `0-${first}`;
}

/** The number of the first fact; NaN for an id that is none of ours. */
export function firstOf(id: string): number {
  return /^0-[1-9]\d{0,15}$/.test(id) ? Number(id.slice(2)) : Number.NaN;
}

/**
 * Puts entries behind the end of a log.
 * @param lines entries as JSON, whose first fact has the number `head.next`
 */
export function seal(
  team: string,
  writer: string,
  head: LogHead,
  entries: { readonly lines: readonly string[]; readonly next: number },
): Sealed {
  return sealText(team, writer, head, `[${entries.lines.join(',')}]`, entries.next);
}

/** Puts an entry of one log behind the end of another, as somebody else's: what it holds stays byte for byte. */
export function sealAgain(team: string, writer: string, head: LogHead, entry: RawEntry): Sealed {
  const e = fieldOf(entry, 'e');
  const count = Number(readHead(fieldOf(entry, 'h'))?.count);
  return sealText(team, writer, head, e, head.next + count);
}

function sealText(team: string, writer: string, head: LogHead, e: string, next: number): Sealed {
  const digest = digestOf(team, head.digest, writer, e);
  return {
    fields: ['h', `${digest} ${next - head.next} ${head.digest} ${writer}`, 'e', e],
    head: { id: streamId(head.next), digest, next },
    bytes: Buffer.byteLength(e),
  };
}

export interface LogReading {
  readonly entries: readonly LogEntry[];
  /** The end of the log behind each entry of the stream, in order, and the bytes of that entry. */
  readonly heads: readonly (LogHead & { readonly bytes: number })[];
  /** What cannot be used; `line` counts entries of the log in this reading. */
  readonly broken: readonly BrokenLine[];
}

/**
 * Opens what was read of a stream. Total.
 * @param raw entries that follow each other
 * @param before the digest that the first of them must name as the one before it; undefined where that is not known
 */
export function openStream(team: string, raw: readonly RawEntry[], before: string | undefined): LogReading {
  const rows: { value: unknown; line: number }[] = [];
  const broken: BrokenLine[] = [];
  const heads: (LogHead & { bytes: number })[] = [];
  let line = 0;
  let prev = before;
  for (const entry of raw) {
    const [id] = entry;
    const e = fieldOf(entry, 'e');
    const head = readHead(fieldOf(entry, 'h'));
    const first = firstOf(id);
    const large = tooLarge(e);
    const values = large === undefined ? arrayOf(e) : undefined;
    const wrong = large ?? whatIsWrong(team, head, prev, e, values, first);
    if (wrong !== undefined)
      broken.push({ code: 'log-broken', line: line + 1, reason: `(in ${id}) ${wrong}` });
    for (const value of values ?? []) rows.push({ value, line: ++line });
    if (values === undefined) line++;
    prev = head?.digest ?? '';
    heads.push({ id, digest: prev, next: first + Number(head?.count), bytes: Buffer.byteLength(e) });
  }
  const [oldest] = raw;
  const read = readLogRows(rows, oldest === undefined ? 1 : firstOf(oldest[0]));
  return {
    entries: read.kept.map(({ entry }) => entry),
    heads,
    broken: [...broken, ...read.broken].sort((one, other) => one.line - other.line),
  };
}

function whatIsWrong(
  team: string,
  head: StreamHead | undefined,
  prev: string | undefined,
  e: string,
  values: readonly unknown[] | undefined,
  first: number,
): string | undefined {
  if (Number.isNaN(first)) return 'has an id that no log gives';
  if (values === undefined) return 'holds no list of entries';
  if (head === undefined) return 'has no head';
  if (prev !== undefined && head.prev !== prev)
    return 'does not name the entry before it: the chain is broken';
  if (digestOf(team, head.prev, head.writer, e) !== head.digest)
    return 'does not give its digest: it was changed, or is of another team';
  const [oldest] = values;
  const begins = isObject(oldest) ? oldest['first'] : undefined;
  if (begins !== first) return `holds entries from number ${String(begins)} on`;
  const stored = values.map((value) =>
    isObject(value) && Array.isArray(value['facts']) ? value['facts'].length : 0,
  );
  const count = stored.reduce((sum, one) => sum + one, 0);
  return String(count) === head.count ? undefined : `holds ${count} facts and says ${head.count}`;
}

function digestOf(team: string, prev: string, writer: string, e: string): string {
  return sha256(`bnerd-teams log of ${team}\n${prev}\n${writer}\n${e}`);
}

function arrayOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined; // no JSON: told as a stream entry that holds no list
  }
}
