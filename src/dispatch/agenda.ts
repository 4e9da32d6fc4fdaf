/**
 * Which teams to look at, and when: one sorted set for all processes, and one sweep per team and interval, whoever makes
 * it. Times are the server's: no two machines' clocks are compared.
 *
 * Always true: only `add` brings a team in. A process that looks at one a last time, when it was put away meanwhile, does
 * not bring it back.
 */

import type { Redis } from 'ioredis';
import type { RedisNames } from '../shared/redis-names.js';

export interface AgendaHouse {
  /** Fails at once while the server is away. */
  readonly client: Redis;
  readonly names: RedisNames;
}

export class Agenda {
  readonly #client: Redis;
  readonly #names: RedisNames;

  constructor({ client, names }: AgendaHouse) {
    this.#client = client;
    this.#names = names;
  }

  /** The server's time, in whole milliseconds since the epoch. */
  async now(): Promise<number> {
    const [seconds = '0', micros = '0'] = await this.#client.time().then((parts) => parts.map(String));
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /** The team is there from now on, and is to be looked at after so many milliseconds. */
  async add(team: string, ms: number): Promise<void> {
    await this.#client.zadd(this.#names.teams, (await this.now()) + ms, team);
  }

  /** The team is to be looked at after so many milliseconds, or sooner when that was said already. */
  async lookWithin(team: string, ms: number): Promise<void> {
    await this.#client.zadd(this.#names.teams, 'XX', 'LT', (await this.now()) + ms, team);
  }

  /** The team is to be looked at after so many milliseconds, whatever was said before. */
  async lookAfter(team: string, ms: number): Promise<void> {
    await this.#client.zadd(this.#names.teams, 'XX', (await this.now()) + ms, team);
  }

  /** The team is there, and needs no look: it has ended. */
  async lookNever(team: string): Promise<void> {
    await this.#client.zadd(this.#names.teams, 'XX', '+inf', team);
  }

  /** The team is there no more. */
  async remove(team: string): Promise<void> {
    await this.#client.zrem(this.#names.teams, team);
  }

  /** Of these teams the ones that nobody needs to look at: they have ended, or are there no more. */
  async resting(teams: readonly string[]): Promise<ReadonlySet<string>> {
    if (teams.length === 0) return new Set();
    const scores = await this.#client.zmscore(this.#names.teams, ...teams);
    return new Set(teams.filter((_, place) => (scores[place] ?? 'inf') === 'inf'));
  }

  /** The teams whose time has come, the longest overdue first. */
  async due(most: number): Promise<readonly string[]> {
    return this.#client.zrangebyscore(this.#names.teams, '-inf', String(await this.now()), 'LIMIT', 0, most);
  }

  /** The teams whose time has come longer ago than so many milliseconds, the longest overdue first. */
  async overdue(byMs: number, most: number): Promise<readonly string[]> {
    const before = String((await this.now()) - byMs);
    return this.#client.zrangebyscore(this.#names.teams, '-inf', before, 'LIMIT', 0, most);
  }

  /** Milliseconds until the next team is due, 0 when one is; undefined when there is none. */
  async nextWithin(): Promise<number | undefined> {
    const [, score] = await this.#client.zrange(this.#names.teams, 0, '0', 'WITHSCORES');
    return score === undefined ? undefined : Math.max(0, Number(score) - (await this.now()));
  }

  /**
   * Whether the sweep of this team is the caller's; then nobody else has one before the interval has passed, whatever
   * becomes of the caller.
   */
  async claimSweep(team: string, intervalMs: number): Promise<boolean> {
    return (await this.#client.set(this.#names.sweep(team), '1', 'PX', intervalMs, 'NX')) === 'OK';
  }
}
