/**
 * What this process has written to the streams of a record, once the server has acknowledged it, for who copies the record: so
 * it need not be read once more. Nothing is kept before somebody asks for it, and after he has had enough.
 */

import type { RawEntry } from './log-stream.js';

export interface OwnMemory {
  readonly member: string;
  readonly entry: RawEntry;
  /** How many entries the stream had with it. */
  readonly length: number;
}

export interface Written {
  readonly log: readonly RawEntry[];
  readonly memories: readonly OwnMemory[];
}

export class OwnWrites {
  #log: RawEntry[] = [];
  #memories: OwnMemory[] = [];
  #isKept = false;

  /** Keeps what is written from now on. */
  keep(): void {
    this.#isKept = true;
  }

  /** Keeps nothing more. */
  drop(): void {
    this.#isKept = false;
    this.take();
  }

  /** An entry of the log stands. */
  wroteLog(entry: RawEntry): void {
    if (this.#isKept) this.#log.push(entry);
  }

  /** An entry of a transcript stands. */
  wroteMemory(memory: OwnMemory): void {
    if (this.#isKept) this.#memories.push(memory);
  }

  /** What was written since the last time, oldest first: of what an entry of the log names, all that was written here. */
  take(): Written {
    const written = { log: this.#log, memories: this.#memories };
    this.#log = [];
    this.#memories = [];
    return written;
  }
}
