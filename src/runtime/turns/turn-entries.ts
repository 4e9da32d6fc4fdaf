/**
 * What one turn adds to its member's transcript, `opened` first (spec/engine.md §2). Where what the member remembers is at
 * hand, nothing is read behind `opened`: it goes in one write with the first entry that follows.
 */

import type { TranscriptEntry } from '../../events/transcript-entry.js';

export class TurnEntries {
  readonly #write: (entries: readonly TranscriptEntry[]) => Promise<void>;
  /** Until it is handed in. */
  #opened: TranscriptEntry | undefined;
  #opening: Promise<void> = Promise.resolve();

  /** @param write resolves when they are durable */
  constructor(opened: TranscriptEntry, write: (entries: readonly TranscriptEntry[]) => Promise<void>) {
    this.#opened = opened;
    this.#write = write;
  }

  /** Hands an entry in, behind `opened`. Durable when it resolves. */
  append(entry: TranscriptEntry): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return this.#write([entry]);
    this.#opened = undefined;
    this.#opening = this.#write([opened, entry]);
    return this.#opening;
  }

  /** Sees to it that `opened` is durable: before anything that this turn does. */
  open(): Promise<void> {
    const opened = this.#opened;
    if (opened !== undefined) {
      this.#opened = undefined;
      this.#opening = this.#write([opened]);
    }
    return this.#opening;
  }
}
