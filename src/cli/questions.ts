/** Questions to the person at the terminal, one after the other, a line each. */

import type { Program } from './call.js';
import { onLines } from './terminal-input.js';

export class Questions {
  readonly #notes;
  readonly #stop: () => void;
  #answer: ((line: string | null) => void) | undefined;
  #ended = false;

  /** Opens stdin; nobody else may read it, and `close` is called by whoever made this. */
  constructor({ input, output }: Pick<Program, 'input' | 'output'>) {
    this.#notes = output.notes;
    this.#stop = onLines(input, (lines) => {
      this.#ended ||= lines === undefined;
      // Of lines that came together only the first was typed as an answer to what is shown.
      this.#answer?.(lines?.[0] ?? null);
      this.#answer = undefined;
    });
  }

  /** The line that is typed next; null when the input ends. */
  ask(question: string): Promise<string | null> {
    this.#notes.write(question);
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  close(): void {
    this.#stop();
  }
}
