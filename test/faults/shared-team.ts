/** A team on a Redis with its processes: a coordinator and workers that a test starts, kills, freezes and replaces. */

import type { Fact, FactOf, FactType } from '../../src/events/event.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import { readRedisRecord } from '../../src/events/redis/redis-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { type Job, job } from '../e2e/job.js';
import type { BnerdOptions, BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import type { TestRedis } from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { until } from '../helpers/until.js';

/** The id of the team. */
export const TEAM = 'one';

/** Long enough for a run on a loaded machine. */
const PATIENCE_MS = 90_000;

export interface SharedOptions {
  /** Where the processes reach the server; straight to it unless given. */
  readonly url?: string;
  readonly lease?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Start = Pick<BnerdOptions, 'env' | 'node'>;

export class SharedTeam {
  readonly at: Job;
  readonly redis: TestRedis;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(at: Job, redis: TestRedis, { url, lease = '2s', env }: SharedOptions) {
    this.at = at;
    this.redis = redis;
    this.#env = {
      BNERD_REDIS_URL: url ?? redis.url,
      BNERD_REDIS_PREFIX: redis.prefix,
      BNERD_LEASE: lease,
      ...env,
    };
  }

  static async of(mission: Mission, redis: TestRedis, options: SharedOptions = {}): Promise<SharedTeam> {
    return new SharedTeam(await job(mission), redis, options);
  }

  /** Begins the run; turns are the workers'. */
  async coordinate(words: readonly string[] = [], start: Start = {}): Promise<RunningBnerd> {
    const all = ['--auto-approve', 'all', '--id', TEAM, '--no-worker', ...words];
    const coordinator = await this.at.start(all, this.start(start));
    const refused = coordinator.ended.then(async ({ stderr }) => {
      if ((await this.of('run.started').catch(() => [])).length === 0) throw new Error(stderr);
    });
    await Promise.race([this.fact('run.started'), refused]);
    return coordinator;
  }

  /** Coordinates the run that is there already. */
  resume(words: readonly string[] = [], start: Start = {}): Promise<RunningBnerd> {
    return this.at.startBnerd(['team', 'resume', TEAM, '--no-worker', ...words], this.start(start));
  }

  /** A worker that may not be ready yet. */
  launch(words: readonly string[] = [], start: Start = {}): Promise<RunningBnerd> {
    return this.at.startBnerd(['worker', ...words], this.start(start));
  }

  /** A worker that takes turns. */
  async worker(words: readonly string[] = [], start: Start = {}): Promise<RunningBnerd> {
    const worker = await this.launch(words, start);
    await worker.says(/takes turns/);
    return worker;
  }

  /** A command of the operator. */
  bnerd(...words: readonly string[]): Promise<BnerdRun> {
    return this.here(words);
  }

  /** The same, and told to stop by a signal: a coordinator or a worker that is not the one to be killed. */
  here(words: readonly string[], stop?: AbortSignal): Promise<BnerdRun> {
    return this.at.here(words, { env: this.#env, ...(stop === undefined ? {} : { stop }) });
  }

  async log(): Promise<readonly LogEntry[]> {
    return this.#view(async (view) => (await view.log()).entries);
  }

  async transcript(member: string): Promise<readonly TranscriptEntry[]> {
    return this.#view(async (view) => (await view.transcript(member)).entries);
  }

  async facts(): Promise<readonly Fact[]> {
    return (await this.log()).flatMap(({ facts }) => [...facts]);
  }

  async of<Type extends FactType>(type: Type): Promise<FactOf<Type>[]> {
    return (await this.facts()).filter((fact): fact is FactOf<Type> => fact.type === type);
  }

  /** Waits until a fact that fits is recorded. */
  fact<Type extends FactType>(
    type: Type,
    fits: (fact: FactOf<Type>) => boolean = () => true,
  ): Promise<FactOf<Type>> {
    return until(async () => (await this.of(type).catch(() => [])).find(fits), {
      ms: PATIENCE_MS,
      what: `a fact ${type} is recorded`,
    });
  }

  /** How a process of this team is started. */
  start({ env, node }: Start = {}): BnerdOptions {
    return { env: { ...this.#env, ...env }, ...(node === undefined ? {} : { node }) };
  }

  async #view<Value>(read: (view: ReturnType<typeof readRedisRecord>) => Promise<Value>): Promise<Value> {
    const connection = this.redis.connect();
    const { names } = this.redis;
    try {
      return await read(readRedisRecord({ connection, names, team: TEAM, reading: 'strict' }));
    } finally {
      await connection.close(1_000);
    }
  }
}
