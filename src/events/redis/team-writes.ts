/**
 * What a team writes beside its log: under the guard that its log holds what this process has seen of it, its bytes counted,
 * and standing before every entry of the log that is appended later (R3).
 */

import type { Redis } from 'ioredis';
import { ALL_SIZES, type GuardedWrite, guardedWrite } from './guarded-script.js';
import type { RedisLog } from './redis-log.js';
import type { RedisReach, Standing } from './redis-reach.js';

export interface TeamWritesSetup {
  readonly reach: RedisReach;
  readonly log: Pick<RedisLog, 'key' | 'head' | 'lost'>;
  readonly sizes: string;
}

export class TeamWrites {
  readonly reach: RedisReach;
  readonly #setup: TeamWritesSetup;
  #total = 0;
  #ahead = 0;

  constructor(setup: TeamWritesSetup) {
    this.#setup = setup;
    this.reach = setup.reach;
  }

  /** Bytes as the server last said, other writers' included, and what was handed in since. */
  get bytes(): number {
    return this.#total + this.#ahead;
  }

  /** Asks how much there is already. */
  async open(): Promise<void> {
    const total = await this.reach.look((client) => client.hget(this.#setup.sizes, ALL_SIZES));
    this.#total = Number(total ?? 0);
  }

  /** Work that the next entry of the log does not come before; `bytes` count while it is on its way. */
  handIn<T>(bytes: number, work: Promise<T>, sent?: Promise<Standing>): Promise<T> {
    this.#ahead += bytes;
    return this.reach.handIn(
      work.finally(() => {
        this.#ahead -= bytes;
      }),
      sent,
    );
  }

  /**
   * Writes once. Rejects as the command does, with `log-gone` when the team was removed, and with `log-lost` when the server
   * has lost the end of the log.
   * @returns false where the stream is not as long as the write says: nothing was written
   */
  async send(client: Redis, write: GuardedWrite): Promise<boolean> {
    const { log, sizes } = this.#setup;
    const answer = await guardedWrite(client, { log: log.key, sizes, seen: log.head }, write);
    if (answer.kind === 'lost') throw await log.lost(client);
    if (answer.kind === 'other') return false;
    this.#total = answer.total;
    return true;
  }
}
