// What a queue may do to its jobs, and what machines may think of the time, under a team of several processes: neither says
// what is done, the record does (spec/engine.md §2, §4).

import { hostname } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { expect, test } from 'vitest';
import { turnJob } from '../../src/dispatch/job.js';
import { queueOf } from '../../src/dispatch/queue-link.js';
import { scanKeys } from '../../src/shared/scan-keys.js';
import { describePrivateRedis, privateRedis, redisAt, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { type Chains, chainsOf, expectWhole } from './chains.js';
import { SharedTeam, TEAM } from './shared-team.js';

const CHAINS: Chains = { members: 3, rounds: 3, delayMs: 30 };
/** The same for a scene that has to go on for several rounds before the run is over. */
const SLOWLY: Chains = { ...CHAINS, delayMs: 200 };
const HOUR_MS = 3_600_000;

const POOLS = ['turns', `turns.${hostname()}`] as const;

/** The queues of a prefix in the hands of somebody who does everything wrong with them. */
class Saboteur {
  readonly #redis: TestRedis;
  readonly #client: ReturnType<TestRedis['connect']>['client'];

  constructor(redis: TestRedis) {
    this.#redis = redis;
    this.#client = redis.connect('blocking').client;
  }

  /** Forgets every job, those that run as well. */
  async loses(): Promise<number> {
    const keys = await scanKeys(this.#client, this.#redis.names.everyQueueKey);
    return keys.length === 0 ? 0 : this.#client.del(keys);
  }

  /** Asks for a turn of each member, for causes that are over, that are not yet, and that never were. */
  async doubles(members: readonly string[], newest: number): Promise<void> {
    for (const pool of POOLS) {
      const queue = new Queue(queueOf(this.#redis.names, pool), this.#options());
      for (const member of members) {
        for (const cause of [1, newest, newest + 1_000]) {
          const { id, ...data } = turnJob({ team: TEAM, member, role: member, cause, pool });
          await queue.add(`turn ${member}`, data, { jobId: id });
          await queue.add(`turn ${member}`, data, { jobId: `${id}~2` });
        }
      }
      await queue.close();
    }
  }

  /** Takes the next job of each queue and does nothing with it; its lock is nobody's who would ever renew it. */
  async holds(): Promise<number> {
    let held = 0;
    for (const pool of POOLS) {
      const worker = new Worker(queueOf(this.#redis.names, pool), null, {
        ...this.#options(),
        autorun: false,
        lockDuration: 1_000,
      });
      if ((await worker.getNextJob('nobody', { block: false })) !== undefined) held++;
      await worker.close(true);
    }
    return held;
  }

  #options(): { connection: ReturnType<TestRedis['connect']>['client']; prefix: string } {
    return { connection: this.#client, prefix: this.#redis.names.queueKeys };
  }
}

describePrivateRedis('a team whose queue and whose clocks are wrong', () => {
  test('jobs are lost, doubled and held by nobody all the time: each thing is done once, and the run is done', {
    timeout: 180_000,
  }, async () => {
    const redis = redisAt((await privateRedis()).url);
    const team = await SharedTeam.of(chainsOf(SLOWLY), redis);
    const saboteur = new Saboteur(redis);
    const coordinator = await team.coordinate();
    await team.worker();
    await team.worker();
    const told = { lost: 0, held: 0, rounds: 0 };
    let over = false;
    void coordinator.ended.then(() => {
      over = true;
    });
    for (const completed of [1, 2, 4, 6, 8]) {
      await until(async () => over || (await team.of('task.completed')).length >= completed, {
        ms: 90_000,
        what: `${completed} tasks are completed`,
      });
      if (over) break;
      told.rounds++;
      await saboteur.doubles(['boss', 'm1', 'm2', 'm3', 'nobody'], (await team.facts()).length);
      told.held += await saboteur.holds();
      told.lost += await saboteur.loses();
      await saboteur.doubles(['m2'], (await team.facts()).length);
    }
    const run = await coordinator.ended;
    process.stdout.write(`jobs: ${JSON.stringify(told)}\n`);
    expect(run.exit, run.stderr).toBe(0);
    expect(told.rounds).toBeGreaterThan(2);
    expect(told.lost).toBeGreaterThan(10);
    expectWhole(await team.log(), await team.at.file('effects'), SLOWLY);
  });

  test('each process has another time: an hour ahead, an hour behind; no wait, lease or limit goes by it', {
    timeout: 120_000,
  }, async () => {
    const redis = redisAt((await privateRedis()).url);
    const mission = chainsOf(CHAINS);
    const limits = { ...(mission.recipe?.limits as object), wall_minutes: 10 };
    const team = await SharedTeam.of({ ...mission, recipe: { ...mission.recipe, limits } }, redis);
    const shifted = (ms: number) => ({
      env: { SHIFT_MS: String(ms) },
      node: ['--import', join(import.meta.dirname, '../fixtures/programs/shifted-clock.js')],
    });
    // The server's time, which is this machine's.
    const before = Date.now();
    const coordinator = await team.coordinate([], shifted(-HOUR_MS));
    await team.worker([], shifted(HOUR_MS));
    await team.worker([], shifted(-HOUR_MS));
    const run = await coordinator.ended;
    const after = Date.now();
    expect(run.exit, run.stderr).toBe(0);
    const log = await team.log();
    expectWhole(log, await team.at.file('effects'), CHAINS);
    const ages = log.map(({ at }) => at);
    expect(Math.max(...ages)).toBeLessThanOrEqual(after - before + 2_000);
    expect(ages.toSorted((one, other) => one - other)).toEqual(ages);
    const walls = log.map(({ wall }) => Date.parse(wall));
    expect(Math.min(...walls)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Math.max(...walls)).toBeLessThanOrEqual(after + 2_000);
  });
});
