/**
 * The record of a team on Redis as it grows, over a connection of its own: whoever tells of it, to a slow reader perhaps,
 * is at it still when the team has been released.
 */

import type { GrowingRecord } from '../../events/growing-record.js';
import type { Lines } from '../../events/line-follower.js';
import { RedisConnection } from '../../events/redis/connection.js';
import { redisLines } from '../../events/redis/redis-view.js';
import type { RedisPlace } from '../house.js';

/** How long a good-bye may take, in milliseconds. */
const CLOSE_MS = 500;

export class RedisGrowth implements GrowingRecord {
  readonly #place: RedisPlace;
  readonly #team: string;
  readonly #left: AbortSignal | undefined;
  /** There while somebody reads. */
  #connection: RedisConnection | undefined;
  #readers = 0;

  /** Opens nothing yet. @param left fires when nobody waits for the server any more */
  constructor(place: RedisPlace, team: string, left?: AbortSignal) {
    this.#place = place;
    this.#team = team;
    this.#left = left;
  }

  log(): Lines {
    return this.#read((record) => record.log());
  }

  transcript(member: string): Lines {
    return this.#read((record) => record.transcript(member));
  }

  #read(lines: (record: GrowingRecord) => Lines): Lines {
    const { address, names } = this.#place;
    this.#connection ??= new RedisConnection(address, 'record');
    const connection = this.#connection;
    const left = this.#left === undefined ? {} : { signal: this.#left };
    const read = lines(redisLines({ connection, names, team: this.#team, ...left }));
    this.#readers++;
    let closed = false;
    return {
      next: () => read.next(),
      close: async () => {
        if (closed) return;
        closed = true;
        this.#readers--;
        if (this.#readers > 0) return;
        this.#connection = undefined;
        await connection.close(this.#left?.aborted === true ? 0 : CLOSE_MS);
      },
    };
  }
}
