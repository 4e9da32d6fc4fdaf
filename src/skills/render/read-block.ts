/**
 * A delegated block read back from the bytes that begin with it (spec/runner.md §2). What stands behind it is not ours
 * to trust: it may hold tags, and the words that end a block.
 *
 * A text of an entry may hold any line but a tag (R1 of `render.ts`), also one that reads like the end of the block. So
 * where a text ends is not guessed: it ends where its bytes have the digest that somebody else has told of it, and what
 * follows says what it is, another tag or what `follows` a block. At no place can both stand: with the digests told
 * there is one reading, and what comes later has no say in it.
 *
 * Always true: any bytes give a reading, in time in proportion to the block; where a digest fails, where the text ends is
 * a likelihood, and the reading says which text that is.
 */

import { createHash, type Hash } from 'node:crypto';
import { BETWEEN_ENTRIES } from '../render.js';
import { PROVENANCE } from './marks.js';
import { type Provenance, readProvenance } from './provenance.js';

/** What is told of an entry. */
export interface ToldText {
  readonly name: string;
  readonly rendered_sha256: string;
}

/** A tag and the text behind it. */
export interface TaggedText<Told extends ToldText = ToldText> {
  /** What the tag says; null for a line that only begins like one. */
  readonly tag: Provenance | null;
  /** 1-based line of the tag. */
  readonly line: number;
  /** Of tag and text, as offsets in bytes; the text begins at `text`. */
  readonly start: number;
  readonly text: number;
  readonly end: number;
  readonly sha256: string;
  /** Which of those that were told it is; null: none, and `end` is a likelihood. */
  readonly told: Told | null;
  /** In a text that none is: the line from which on something stands behind a text that one is; null without such. */
  readonly untagged: number | null;
}

export interface BlockReading<Told extends ToldText = ToldText> {
  readonly entries: readonly TaggedText<Told>[];
  /** Offset behind the block; what follows it begins two line breaks later, or at 0 where there is no block. */
  readonly end: number;
  /** 1-based line of text in front of the first tag; null: there is none. */
  readonly untagged: number | null;
  /** What follows a block was found behind it. */
  readonly followed: boolean;
}

/** The longest text of an entry that is looked for, in bytes, and how many of its lines are tried where it is none. */
const LONGEST_TEXT = 4 << 20;
const LINES_TRIED = 20_000;

/**
 * Reads the block that bytes begin with.
 * @param told of the entries that may stand in it; of one name several, where nobody knows which
 * @param follows what stands behind a block, behind an empty line: a mark that no tag begins with
 */
export function readBlock<Told extends ToldText>(
  bytes: Buffer,
  told: readonly Told[],
  follows: string,
): BlockReading<Told> {
  const entries: TaggedText<Told>[] = [];
  if (startsAt(bytes, follows, 0)) return { entries, end: 0, untagged: null, followed: true };
  const lines = new Lines(bytes);
  let at = 0;
  let untagged: number | null = null;
  if (!startsAt(bytes, PROVENANCE.opens, 0)) {
    untagged = 1;
    const stop = likelyEnd(bytes, 0, follows);
    at = stop + BETWEEN_ENTRIES.length;
    if (!startsAt(bytes, PROVENANCE.opens, at))
      return { entries, end: stop, untagged, followed: startsAt(bytes, follows, at) };
  }
  for (;;) {
    const entry = readEntry(bytes, at, told, follows, lines);
    entries.push(entry);
    at = entry.end + BETWEEN_ENTRIES.length;
    if (!startsAt(bytes, PROVENANCE.opens, at))
      return { entries, end: entry.end, untagged, followed: startsAt(bytes, follows, at) };
  }
}

function readEntry<Told extends ToldText>(
  bytes: Buffer,
  start: number,
  told: readonly Told[],
  follows: string,
  lines: Lines,
): TaggedText<Told> {
  const line = lines.of(start);
  const lineEnd = orEnd(bytes, bytes.indexOf('\n', start));
  const tag = readProvenance(bytes.toString('utf8', start, lineEnd)) ?? null;
  const text = Math.min(lineEnd + 1, bytes.length);
  const wanted = tag === null ? [] : told.filter(({ name }) => name === tag.name);
  const common = { tag, line, start, text };
  if (wanted.length > 0) {
    const running = new RunningDigest(bytes, text);
    for (const stop of stopsIn(bytes, text, follows)) {
      const sha256 = running.upTo(stop);
      const found = wanted.find((one) => one.rendered_sha256 === sha256);
      if (found !== undefined) return { ...common, end: stop, sha256, told: found, untagged: null };
    }
  }
  const end = likelyEnd(bytes, text, follows);
  const untagged = lineBehind(bytes, text, end, wanted, lines);
  return { ...common, end, sha256: new RunningDigest(bytes, text).upTo(end), told: null, untagged };
}

/** Where a text that begins at `from` may end: in front of what follows a block, and in front of the next tag. */
function* stopsIn(bytes: Buffer, from: number, follows: string): Generator<number> {
  const last = nextTag(bytes, from);
  const bound = Math.min(last, from + LONGEST_TEXT);
  const mark = BETWEEN_ENTRIES + follows;
  for (let at = bytes.indexOf(mark, from); at !== -1 && at < bound; at = bytes.indexOf(mark, at + 1))
    yield at;
  if (last <= bound) yield last;
}

/** Where a text ends of which nobody knows the digest: in front of whatever ends a text first, or with the bytes. */
function likelyEnd(bytes: Buffer, from: number, follows: string): number {
  return Math.min(nextTag(bytes, from), orEnd(bytes, bytes.indexOf(BETWEEN_ENTRIES + follows, from)));
}

/** In front of the next tag, or the end of the bytes. */
function nextTag(bytes: Buffer, from: number): number {
  return orEnd(bytes, bytes.indexOf(BETWEEN_ENTRIES + PROVENANCE.opens, from));
}

/** The line behind the one with which a text that was told ends. */
function lineBehind(
  bytes: Buffer,
  from: number,
  end: number,
  wanted: readonly ToldText[],
  lines: Lines,
): number | null {
  if (wanted.length === 0) return null;
  const running = new RunningDigest(bytes, from);
  let at = bytes.indexOf('\n', from);
  for (let tried = 0; at !== -1 && at < end && tried < LINES_TRIED; tried++) {
    const sha256 = running.upTo(at);
    if (wanted.some((one) => one.rendered_sha256 === sha256)) return lines.of(at + 1);
    at = bytes.indexOf('\n', at + 1);
  }
  return null;
}

function startsAt(bytes: Buffer, mark: string, at: number): boolean {
  return bytes.toString('latin1', at, at + mark.length) === mark; // both marks are ASCII
}

function orEnd(bytes: Buffer, at: number): number {
  return at === -1 ? bytes.length : at;
}

/** Digests of the bytes from one place up to others, each behind the last: every byte is read once. */
class RunningDigest {
  readonly #hash: Hash = createHash('sha256');
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  upTo(end: number): string {
    this.#hash.update(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return this.#hash.copy().digest('hex');
  }
}

/** Numbers of lines, from 1; asked for in ascending order. */
class Lines {
  readonly #bytes: Buffer;
  #at = 0;
  #line = 1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  of(place: number): number {
    for (let at = this.#bytes.indexOf(10, this.#at); at !== -1 && at < place; ) {
      this.#line++;
      this.#at = at + 1;
      at = this.#bytes.indexOf(10, this.#at);
    }
    return this.#line;
  }
}
