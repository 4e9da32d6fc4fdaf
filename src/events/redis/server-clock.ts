/**
 * The time of the Redis server, as it was last told, carried on by the monotonic clock of this process.
 *
 * Several processes run one team, each on a machine whose wall clock may be wrong: what they decide by is the clock of
 * the one server that all of them speak to (spec/engine.md §2 "Time"). A told time was true when the server said it, so
 * this clock is behind by the way of the answer, and never ahead.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../../shared/clock.js';

export class ServerClock implements Clock {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #serverMs: number;
  #heardAt: number;

  /** @param serverMs milliseconds since the epoch, as the server says them now */
  constructor(clock: Pick<Clock, 'monotonicMs'>, serverMs: number) {
    this.#clock = clock;
    this.#serverMs = serverMs;
    this.#heardAt = clock.monotonicMs();
  }

  /** A clock that has asked the server; rejects as the command does. */
  static async ask(client: Redis, clock: Pick<Clock, 'monotonicMs'>): Promise<ServerClock> {
    const [seconds, microseconds] = await client.time();
    return new ServerClock(clock, Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
  }

  /** The server has said what time it is: the newest word counts, also where its clock was set back. */
  heard(serverMs: number): void {
    this.#serverMs = serverMs;
    this.#heardAt = this.#clock.monotonicMs();
  }

  /** Milliseconds since the epoch on the server. */
  wallMs(): number {
    return Math.floor(this.#serverMs + this.#clock.monotonicMs() - this.#heardAt);
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }
}
