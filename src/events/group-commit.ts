/**
 * When things are written: everything handed in during one pass of the event loop goes into one commit, one
 * commit runs at a time, and the next collects meanwhile (spec/engine.md §1 "File log").
 *
 * Nothing resolves before its commit is durable. After a commit failed, everything, what had been collected
 * meanwhile included, is refused with that commit's error: the record is poisoned (R5).
 */

import { BugError, FatalError } from '../shared/errors.js';

/** What one commit writes. Blobs and transcripts are durable before the log is written (R3). */
export interface Batch {
  /** Bytes by their SHA-256. */
  readonly blobs: Map<string, Uint8Array>;
  /** Lines by member, in order. */
  readonly transcripts: Map<string, string[]>;
  /** Lines of the log, in order. */
  readonly log: string[];
}

interface Commit {
  readonly batch: Batch;
  readonly done: Promise<void>;
}

export class GroupCommit {
  readonly #write: (batch: Batch) => Promise<void>;
  #collecting: Commit | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #closed = false;

  /** @param write makes a batch durable, or undoes it and rejects with a `FatalError`; never called twice at once */
  constructor(write: (batch: Batch) => Promise<void>) {
    this.#write = write;
  }

  /** Adds to the commit of this pass; settles with it. Once this was called, `fill` has run. */
  add(fill: (batch: Batch) => void): Promise<void> {
    if (this.#closed) return Promise.reject(new BugError('record-closed', 'the record is closed'));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#collecting ??= this.#begin();
    fill(this.#collecting.batch);
    return this.#collecting.done;
  }

  /** Waits until everything handed in so far is durable or refused; never rejects. */
  async settled(): Promise<void> {
    // The refusal reaches those who handed the work in; who only waits has no use for it.
    await this.#last.catch(() => undefined);
  }

  /** The error that poisoned the record, when one did. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Takes nothing more and waits for what was handed in. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
  }

  #begin(): Commit {
    const batch: Batch = { blobs: new Map(), transcripts: new Map(), log: [] };
    const previous = this.#last;
    const done = this.#run(batch, previous);
    this.#last = done;
    return { batch, done };
  }

  async #run(batch: Batch, previous: Promise<void>): Promise<void> {
    await Promise.all([previous.catch(() => undefined), endOfPass()]);
    // From here on a new commit collects. The order matters: nothing may be added to a batch being written.
    this.#collecting = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await this.#write(batch);
    } catch (error) {
      this.#failure =
        error instanceof FatalError
          ? error
          : new FatalError('log-failed', 'the record failed', { cause: error });
      throw this.#failure;
    }
  }
}

function endOfPass(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
