/**
 * The record port: where a team is written down. A team *is* its record (spec/engine.md §1).
 *
 * Promises of every implementation, held by `test/contracts/record.ts`:
 *  R1 an append is durable when its promise resolves, and nothing of it is there when it rejects;
 *  R2 an entry is taken only at the expected position, else the answer is `conflict` with what is there;
 *  R3 what was handed in earlier in the same pass (blobs, transcripts) is durable before the entry is;
 *  R4 a transcript refuses entries of a turn older than the newest one opened;
 *  R5 after a failed write the record refuses every further append with the same named error;
 *  R6 where others write as well, an append is refused from a conflict on until the log has been read again: what was
 *     handed in behind the one that lost was decided on a state that never was, and its number may fit by accident.
 */

import type { Finding } from '../shared/findings.js';
import type { LogEntry } from './log-entry.js';
import type { TranscriptEntry } from './transcript-entry.js';

export type AppendOutcome =
  | { readonly kind: 'appended' }
  /** Somebody wrote first; `next` is the number the log really expects. Read on and decide again. */
  | { readonly kind: 'conflict'; readonly next: number };

/** The state as it was when the log had so many facts, as whoever folded it has written it down. */
export interface Snapshot {
  /** Number of the first fact that is not in it. */
  readonly next: number;
  readonly text: string;
}

/** Snapshots beside a log, a cache: what is wrong with one costs a fold, never a wrong state (spec/engine.md §1 "Versions"). */
export interface Snapshots {
  /** What opening the record has found: of this code, and the log holds what it was made of. Undefined: fold from the first. */
  readonly found: Snapshot | undefined;
  /** Whoever has folded so many facts keeps a snapshot: the next one need not. */
  readonly afterFacts: number;
  /** Keeps one of the whole log as it is known here, in place of the one before. Never rejects. */
  keep(snapshot: Snapshot): Promise<void>;
}

export interface EventLog {
  /** Whether another process may write while this one has it open: a lock keeps others out, a server does not. */
  readonly writers: 'one' | 'many';
  /** Left out where nobody keeps any. */
  readonly snapshots?: Snapshots;
  /** All entries whose first fact's number is `from` or later, oldest first; of the whole log when absent. */
  read(from?: number): Promise<readonly LogEntry[]>;
  /**
   * Adds one entry at its own `first`. Rejects with `FatalError`: `disk-full`, `log-failed`; on Redis also `redis-full`,
   * `redis-misconf`, `record-unreachable` (then it may be in the log or not), `log-gone`, `log-lost`.
   */
  append(entry: LogEntry): Promise<AppendOutcome>;
}

export type TranscriptOutcome =
  | { readonly kind: 'appended' }
  /** A newer turn of this member was opened: the writer has lost its turn and must end. */
  | { readonly kind: 'fenced'; readonly newest: number };

export interface Transcripts {
  /** The whole memory of one member, oldest first; empty for a member that never had a turn. */
  read(member: string): Promise<readonly TranscriptEntry[]>;
  /** Adds entries of one turn, in order. Opening a turn is appending its `<turn>-0 opened` entry. */
  append(member: string, entries: readonly TranscriptEntry[]): Promise<TranscriptOutcome>;
}

export interface Blobs {
  /** Stores a text under the SHA-256 of its UTF-8 bytes and returns that digest; storing twice is free. */
  put(text: string): Promise<string>;
  /** The text, or undefined when it is not there. Rejects when the stored bytes do not give the digest. */
  get(sha256: string): Promise<string | undefined>;
}

/** One team's record, open for writing by this process. */
export interface TeamRecord {
  readonly log: EventLog;
  readonly transcripts: Transcripts;
  readonly blobs: Blobs;
  /** How large the record is: bytes of log, transcripts and blobs, what was handed in included. */
  bytes(): number;
  /** What was mended or set aside on opening (a torn tail), for people. */
  readonly findings: readonly Finding[];
  /** Waits for what was handed in, then releases files and locks. Idempotent. */
  close(): Promise<void>;
}
