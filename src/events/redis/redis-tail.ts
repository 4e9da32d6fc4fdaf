/** A stream of a record as it grows, for who only looks on: each of its entries once, from the beginning. */

import type { Redis } from 'ioredis';
import { FatalError } from '../../shared/errors.js';
import { fieldOf, type RawEntry } from './log-stream.js';
import type { RedisReach } from './redis-reach.js';

/** Entries that are read at once; each may be a megabyte, most are far smaller. */
const PAGE = 50;

export class RedisTail {
  readonly #reach: RedisReach;
  readonly #key: string;
  /** The newest entry that was read. */
  #newest: RawEntry | undefined;

  constructor(reach: RedisReach, key: string) {
    this.#reach = reach;
    this.#key = key;
  }

  /**
   * The next entries; none when there are none yet, or the stream is gone. Rejects with `record-unreachable`, and with
   * `log-lost` where the server does not hold any more what it has told.
   */
  async next(): Promise<readonly RawEntry[]> {
    // Begins at the newest entry that is known: without it nobody knows what comes behind it.
    const known = this.#newest;
    const page = await this.#reach.look((client: Redis) =>
      client.xrange(this.#key, known?.[0] ?? '-', '+', 'COUNT', PAGE),
    );
    if (known === undefined) return this.#took(page);
    const [first] = page;
    if (first === undefined) {
      const there = await this.#reach.look((client: Redis) => client.exists(this.#key));
      if (there === 1) throw this.#lost(known);
      return [];
    }
    if (first[0] !== known[0] || textOf(first) !== textOf(known)) throw this.#lost(known);
    return this.#took(page.slice(1));
  }

  /** The newest entry that was read or told; undefined before the first. */
  get newest(): RawEntry | undefined {
    return this.#newest;
  }

  /** These entries stand behind the newest, as whoever has written them tells: the next are those behind them. */
  told(entries: readonly RawEntry[]): void {
    this.#newest = entries.at(-1) ?? this.#newest;
  }

  /** Whether the server still holds the newest entry that was read: then it has lost nothing of what was. */
  async holds(): Promise<boolean> {
    const known = this.#newest;
    if (known === undefined) return true;
    const [id] = known;
    const [found] = await this.#reach.look((client: Redis) => client.xrange(this.#key, id, id));
    return found !== undefined && textOf(found) === textOf(known);
  }

  #took(fresh: readonly RawEntry[]): readonly RawEntry[] {
    this.#newest = fresh.at(-1) ?? this.#newest;
    return fresh;
  }

  #lost([id]: RawEntry): FatalError {
    return new FatalError(
      'log-lost',
      `entry ${id} of ${this.#key} is not there any more: the server has lost it`,
    );
  }
}

/** The entries of a record that an entry of its stream holds, as the JSON list that they are stored as. */
export function textOf(entry: RawEntry): string {
  return fieldOf(entry, 'e');
}
