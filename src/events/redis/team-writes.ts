/**
 * What a team writes beside its log: under the guard that its log is there, its bytes counted, and waited for by every
 * entry of the log that is appended later (R3).
 */

import type { Redis } from 'ioredis';
import { FatalError } from '../../shared/errors.js';
import { ALL_SIZES, type GuardedWrite, guardedWrite } from './guarded-script.js';
import type { RedisReach } from './redis-reach.js';

export interface TeamWritesSetup {
  readonly reach: RedisReach;
  readonly team: string;
  readonly log: string;
  readonly sizes: string;
  /** Whether the log has begun: before that nothing can be said to be gone. */
  readonly begun: () => boolean;
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

  /** Work that the next entry of the log waits for; `bytes` count while it is on its way. */
  handIn<T>(bytes: number, work: Promise<T>): Promise<T> {
    this.#ahead += bytes;
    return this.reach.handIn(
      work.finally(() => {
        this.#ahead -= bytes;
      }),
    );
  }

  /** Writes once. Rejects as the command does, and with `log-gone` when the team was removed. */
  async send(client: Redis, write: GuardedWrite): Promise<void> {
    const { log, sizes, team, begun } = this.#setup;
    const guard = { log, sizes, logMustExist: begun() ? ('yes' as const) : ('waived' as const) };
    const answer = await guardedWrite(client, guard, write);
    if (answer.kind === 'gone') {
      const what = `${log} is not there any more: the team ${team} was removed, or the server has lost its data`;
      throw new FatalError('log-gone', `${what}; nothing was written`);
    }
    this.#total = answer.total;
  }
}
