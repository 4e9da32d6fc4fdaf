/**
 * What the signals of a chat mean: Ctrl-C stops the answer that is under way, a second one with nothing typed in
 * between ends the chat; TERM and hang-up end it at once.
 */

import type { Program, StopCause } from '../call.js';

/** 128 and the signal's number. */
const EXITS: Readonly<Record<StopCause, number>> = { hangup: 129, interrupt: 130, terminate: 143 };

export class Stops {
  readonly #onStop: Program['onStop'];
  readonly #say: (text: string) => void;
  readonly #end = new AbortController();
  #answer: AbortController | null = null;
  #release: () => void;
  #exit: number | null = null;

  /** Takes the signals over. */
  constructor(onStop: Program['onStop'], say: (text: string) => void) {
    this.#onStop = onStop;
    this.#say = say;
    this.#release = onStop((cause, word) => this.#heard(cause, word));
  }

  /** Fires when the chat ends by a signal. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** The exit code of the signal that ended the chat; null while none has. */
  get exit(): number | null {
    return this.#exit;
  }

  /** The person has typed a line: words to stop are counted anew. Gives the signal of what they asked for. */
  begin(): AbortSignal {
    this.#release();
    this.#release = this.#onStop((cause, word) => this.#heard(cause, word));
    this.#answer = new AbortController();
    return AbortSignal.any([this.#answer.signal, this.#end.signal]);
  }

  /** What was asked for is done. */
  done(): void {
    this.#answer = null;
  }

  /** Gives the signals back. */
  release(): void {
    this.#release();
  }

  #heard(cause: StopCause, word: number): void {
    if (cause !== 'interrupt' || word > 1) {
      this.#exit ??= EXITS[cause];
      this.#end.abort();
    } else if (this.#answer !== null) {
      this.#answer.abort();
    } else {
      this.#say('  press Ctrl-C again to end the chat, or type /quit');
    }
  }
}
