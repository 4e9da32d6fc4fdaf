/**
 * A record in memory: for tests, simulation and property tests. What it holds lies in a `MemoryDisk`, which
 * outlives the record like a folder outlives a process, and goes through JSON like a file does.
 */

import { sha256 } from '../shared/digest.js';
import { BugError, FatalError } from '../shared/errors.js';
import { jsonLine } from '../shared/jsonl.js';
import { type LogEntry, nextNumber } from './log-entry.js';
import { checkedEntry } from './log-envelope.js';
import { placeOfNumber } from './number-index.js';
import type { AppendOutcome, TeamRecord, TranscriptOutcome } from './record.js';
import type { TranscriptEntry } from './transcript-entry.js';
import { admitEntries, TRANSCRIPT_START, type TranscriptPlace } from './transcript-order.js';

/** What survives when a process dies. Several records may be opened over one disk, one after the other. */
export class MemoryDisk {
  readonly entries: LogEntry[] = [];
  readonly transcripts = new Map<string, { entries: TranscriptEntry[]; place: TranscriptPlace }>();
  readonly blobs = new Map<string, string>();
  /** Characters of JSON and text that still fit. */
  free: number;
  /** Characters that were taken, whether or not there is a bound. */
  used = 0;

  constructor(free = Number.POSITIVE_INFINITY) {
    this.free = free;
  }
}

/**
 * Opens a disk, by default an empty one.
 * @param writers `many`: other records are open over the disk at the same time, as processes share a server
 */
export function memoryRecord(
  disk: MemoryDisk = new MemoryDisk(),
  writers: 'one' | 'many' = 'one',
): TeamRecord {
  const writer = new MemoryWriter(disk, writers);
  return {
    findings: [],
    bytes: () => disk.used,
    log: {
      writers,
      read: async (from) => writer.readEntries(from),
      append: (entry) => writer.appendEntry(entry),
    },
    transcripts: {
      read: async (member) => [...(disk.transcripts.get(member)?.entries ?? [])],
      append: (member, entries) => writer.appendTranscript(member, entries),
    },
    blobs: {
      put: (text) => writer.put(text),
      get: async (digest) => disk.blobs.get(digest),
    },
    close: async () => writer.close(),
  };
}

/** Each method decides before its first await: calls take effect in the order in which they were made. */
class MemoryWriter {
  readonly #disk: MemoryDisk;
  readonly #writers: 'one' | 'many';
  /** Somebody wrote first, and the log was not read since (R6). */
  #behind = false;
  #failure: FatalError | undefined;
  #closed = false;

  constructor(disk: MemoryDisk, writers: 'one' | 'many') {
    this.#disk = disk;
    this.#writers = writers;
  }

  readEntries(from = 1): readonly LogEntry[] {
    this.#behind = false;
    const { entries } = this.#disk;
    return entries.slice(placeOfNumber(entries, ({ first }) => first, from));
  }

  async appendEntry(entry: LogEntry): Promise<AppendOutcome> {
    this.#refuseWhenOver();
    const stored = copy(checkedEntry(entry));
    const last = this.#disk.entries.at(-1);
    const next = last === undefined ? 1 : nextNumber(last);
    if (this.#behind || entry.first !== next) {
      this.#behind = this.#writers === 'many';
      return { kind: 'conflict', next };
    }
    this.#take(stored.size);
    this.#disk.entries.push(stored.value);
    return { kind: 'appended' };
  }

  async appendTranscript(member: string, entries: readonly TranscriptEntry[]): Promise<TranscriptOutcome> {
    this.#refuseWhenOver();
    const held = this.#disk.transcripts.get(member) ?? { entries: [], place: TRANSCRIPT_START };
    const admission = admitEntries(member, held.place, entries);
    if (admission.kind === 'fenced') return admission;
    const stored = copy(entries);
    this.#take(stored.size);
    held.entries.push(...stored.value);
    held.place = admission.place;
    this.#disk.transcripts.set(member, held);
    return { kind: 'appended' };
  }

  async put(text: string): Promise<string> {
    this.#refuseWhenOver();
    // Through bytes, as a file would: half a surrogate pair does not survive.
    const bytes = Buffer.from(text, 'utf8');
    const digest = sha256(bytes);
    if (this.#disk.blobs.has(digest)) return digest;
    this.#take(bytes.length);
    this.#disk.blobs.set(digest, bytes.toString('utf8'));
    return digest;
  }

  close(): void {
    this.#closed = true;
  }

  #take(size: number): void {
    if (size > this.#disk.free) {
      this.#failure = new FatalError('disk-full', `the disk in memory has ${this.#disk.free} bytes left`);
      throw this.#failure;
    }
    this.#disk.free -= size;
    this.#disk.used += size;
  }

  #refuseWhenOver(): void {
    if (this.#closed) throw new BugError('record-closed', 'the record is closed');
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function copy<Value>(value: Value): { value: Value; size: number } {
  const line = jsonLine(value);
  return { value: JSON.parse(line), size: line.length };
}
