/**
 * Team time: how long processes have run this team, in whole milliseconds (spec/engine.md §2 "Time").
 *
 * Recorded elapsed time, carried on by the monotonic clock of the process that runs it; a wall clock that jumps an
 * hour changes nothing, and time in which nobody ran the team does not count.
 */

import type { Clock } from '../shared/clock.js';

export class TeamClock {
  readonly #clock: Clock;
  #at: number;
  #monotonic: number;

  /** @param at team time of the newest entry, milliseconds */
  constructor(clock: Clock, at: number) {
    this.#clock = clock;
    this.#at = at;
    this.#monotonic = clock.monotonicMs();
  }

  /** Milliseconds of team time; never less than the newest entry it was told of. */
  now(): number {
    return this.#at + Math.max(0, Math.floor(this.#clock.monotonicMs() - this.#monotonic));
  }

  /** Another writer's entry bears a later time than ours: go on from there. */
  notBefore(at: number): void {
    if (at <= this.now()) return;
    this.#at = at;
    this.#monotonic = this.#clock.monotonicMs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }
}
