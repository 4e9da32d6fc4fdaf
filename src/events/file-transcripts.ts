/** `transcripts/<member>.jsonl` as written by the process that holds the lock; fenced by turn (R4). */

import { jsonLine } from '../shared/jsonl.js';
import type { AppendFile } from './append-file.js';
import { brokenError } from './broken-record.js';
import type { GroupCommit } from './group-commit.js';
import type { TranscriptOutcome, Transcripts } from './record.js';
import type { TranscriptEntry } from './transcript-entry.js';
import { parseTranscript } from './transcript-lines.js';
import { admitEntries, TRANSCRIPT_START, type TranscriptPlace } from './transcript-order.js';

export class FileTranscripts implements Transcripts {
  readonly #fileOf: (member: string) => AppendFile;
  readonly #commit: GroupCommit;
  /** Last entry of each member, handed in or durable. */
  readonly #places: Map<string, TranscriptPlace>;
  #bytes: number;

  /** @param bytes of the files as they were opened */
  constructor(
    fileOf: (member: string) => AppendFile,
    commit: GroupCommit,
    places: ReadonlyMap<string, TranscriptPlace>,
    bytes: number,
  ) {
    this.#bytes = bytes;
    this.#fileOf = fileOf;
    this.#commit = commit;
    this.#places = new Map(places);
  }

  /** Bytes, what is not yet durable included. */
  get bytes(): number {
    return this.#bytes;
  }

  async read(member: string): Promise<readonly TranscriptEntry[]> {
    const file = this.#fileOf(member);
    await this.#commit.settled();
    const { entries, broken } = parseTranscript(await file.read());
    const [first] = broken;
    if (first !== undefined) throw brokenError({ ...first, code: 'transcript-broken', path: file.path });
    return entries;
  }

  async append(member: string, entries: readonly TranscriptEntry[]): Promise<TranscriptOutcome> {
    this.#fileOf(member);
    if (this.#commit.failure !== undefined) throw this.#commit.failure;
    const admission = admitEntries(member, this.#places.get(member) ?? TRANSCRIPT_START, entries);
    if (admission.kind === 'fenced') return admission;
    if (entries.length === 0) return { kind: 'appended' };
    const lines = entries.map(jsonLine);
    const written = this.#commit.add((batch) => {
      const waiting = batch.transcripts.get(member);
      if (waiting === undefined) batch.transcripts.set(member, lines);
      else waiting.push(...lines);
      this.#places.set(member, admission.place);
      for (const line of lines) this.#bytes += Buffer.byteLength(line);
    });
    await written;
    return { kind: 'appended' };
  }
}
