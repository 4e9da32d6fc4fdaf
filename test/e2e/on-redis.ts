/** A team on Redis and the programs that serve it: what the tests of several processes start from. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fact, FactOf, FactType } from '../../src/events/event.js';
import { readRedisRecord } from '../../src/events/redis/redis-view.js';
import { does, shell } from '../cases/play.js';
import type { BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import type { TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import type { Job } from './job.js';
import { oneTask } from './missions.js';

/** One operator with a mission, whose team is on Redis. */
export class OnRedis {
  readonly at: Job;
  /** Of the team. */
  id = 'one';
  readonly redis: TestRedis;
  readonly env: Readonly<Record<string, string>>;

  /** @param env of every program of this operator, beside what says where the team is */
  constructor(at: Job, redis: TestRedis, env: Readonly<Record<string, string>> = {}) {
    this.at = at;
    this.redis = redis;
    const place = { BNERD_REDIS_URL: redis.url, BNERD_REDIS_PREFIX: redis.prefix };
    this.env = { ...place, BNERD_LEASE: '2s', ...env };
  }

  run(words: readonly string[] = []): Promise<RunningBnerd> {
    return this.at.start(['--auto-approve', 'all', '--id', this.id, ...words], { env: this.env });
  }

  async worker(
    words: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningBnerd> {
    const worker = await this.at.startBnerd(['worker', '--concurrency', '2', ...words], {
      env: { ...this.env, ...env },
    });
    await worker.says(/takes turns/);
    return worker;
  }

  bnerd(...words: readonly string[]): Promise<BnerdRun> {
    return this.at.here(words, { env: this.env });
  }

  file(name: string): Promise<string | undefined> {
    return this.at.file(name);
  }

  async write(name: string): Promise<void> {
    await writeFile(join(this.at.workspace, name), '');
  }

  async facts(): Promise<readonly Fact[]> {
    const connection = this.redis.connect();
    const { names } = this.redis;
    try {
      const view = readRedisRecord({ connection, names, team: this.id, reading: 'strict' });
      return (await view.log()).entries.flatMap(({ facts }) => [...facts]);
    } finally {
      await connection.close(1_000);
    }
  }

  async of<Type extends FactType>(type: Type): Promise<FactOf<Type>[]> {
    return (await this.facts()).filter((fact): fact is FactOf<Type> => fact.type === type);
  }

  fact<Type extends FactType>(
    type: Type,
    fits: (fact: FactOf<Type>) => boolean = () => true,
  ): Promise<FactOf<Type>> {
    return until(async () => (await this.of(type).catch(() => [])).find(fits), {
      ms: 60_000,
      what: `a fact ${type} is recorded`,
    });
  }
}

/** A worker's task that takes two calls: the first says that it began, the second waits for a file. */
export const WAITING = oneTask(
  [does(shell('echo begun >> begun; until [ -e go ]; do sleep 0.05; done; echo ended >> ended'))],
  { recipe: { safety: 'full' } },
);
