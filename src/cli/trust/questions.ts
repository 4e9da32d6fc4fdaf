/**
 * Questions to the person at the terminal, one after the other, a line each.
 *
 * Always true: what was typed before a question stood there does not answer it, as far as it had arrived.
 */

import { setImmediate as nextRound } from 'node:timers/promises';

import type { Program } from '../call.js';
import { onLines } from '../terminal-input.js';

/** More lines than a terminal keeps; who types faster than that is not heard. */
const MOST_ROUNDS = 5_000;

export class Questions {
  readonly #notes;
  readonly #stop: () => void;
  #answer: ((line: string | null) => void) | undefined;
  #ended = false;
  /** Whether anything came since somebody listened for it. */
  #heard = false;

  /** Opens stdin; nobody else may read it, and `close` is called by whoever made this. */
  constructor({ input, output }: Pick<Program, 'input' | 'output'>) {
    this.#notes = output.notes;
    this.#stop = onLines(input, (lines) => {
      this.#ended ||= lines === undefined;
      this.#heard = true;
      // Of lines that came together only the first was typed as an answer to what is shown.
      this.#answer?.(lines?.[0] ?? null);
      this.#answer = undefined;
    });
  }

  /** The line that is typed next; null when the input ends. */
  async ask(question: string): Promise<string | null> {
    await this.#quiet();
    this.#notes.write(question);
    if (this.#ended) return null;
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** Reads what lies ready in the terminal and drops it: a line a round of the event loop, until one brings none. */
  async #quiet(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.#heard = false;
      await nextRound();
      await nextRound();
      if (!this.#heard) return;
    }
  }

  close(): void {
    this.#stop();
  }
}
