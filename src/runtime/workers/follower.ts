/**
 * Takes in what other processes write into a team's log, soon after they did: a word to stop, a turn that was taken over,
 * an answer. What is heard a moment late costs time and nothing else, for nothing is decided on old news.
 */

import type { TeamStore } from '../../state/team-store.js';

/** How often the log is looked at, in milliseconds. */
const LOOK_MS = 100;

export class Follower {
  readonly #store: Pick<TeamStore, 'catchUp'>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #follows = false;

  /** Follows nothing yet. @param failed hears of a log that cannot be read any more */
  constructor(store: Pick<TeamStore, 'catchUp'>, failed: (error: unknown) => void) {
    this.#store = store;
    this.#failed = failed;
  }

  /** Follows from now on. */
  on(): void {
    if (this.#follows) return;
    this.#follows = true;
    this.#plan();
  }

  /** Follows no more. */
  off(): void {
    this.#follows = false;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }

  async #look(): Promise<void> {
    try {
      await this.#store.catchUp();
      if (this.#follows) this.#plan();
    } catch (error) {
      if (this.#follows) this.#failed(error);
    }
  }
}
