// A team of several processes whose server is frozen, killed, full or cut off while they work: the run goes on and ends
// `done`, each thing done once, nothing half written (spec/engine.md §4).

import { expect, test } from 'vitest';
import type { RunningBnerd } from '../helpers/bnerd.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { type RedisProxy, redisProxy } from '../helpers/redis-proxy.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { type Chains, chainsOf, expectWhole } from './chains.js';
import { SharedTeam, TEAM } from './shared-team.js';

interface Form extends Chains {
  /** How long the server is frozen; longer than a lease, and in the whole form the time of the specification. */
  readonly frozenMs: number;
  readonly cuts: number;
}

const SCALED: Form = { members: 3, rounds: 3, delayMs: 100, frozenMs: 2_500, cuts: 4 };
const WHOLE: Form = { members: 8, rounds: 8, delayMs: 100, frozenMs: 20_000, cuts: 40 };
const FORM = process.env['BNERD_TEST_FAULTS'] === 'whole' ? WHOLE : SCALED;

const PATIENCE_MS = 90_000;

interface Scene {
  readonly server: RedisServer;
  readonly line: RedisProxy;
  readonly team: SharedTeam;
  readonly coordinator: RunningBnerd;
  readonly workers: readonly RunningBnerd[];
  /** A command of the operator to the server. */
  tell(command: string, ...words: readonly string[]): Promise<unknown>;
}

/** Each way in which a server is no help for a while; settled when it is one again. */
const TROUBLES: readonly (readonly [what: string, befalls: (scene: Scene) => Promise<void>])[] = [
  [
    'says nothing for longer than a lease',
    async ({ server }) => {
      server.freeze();
      await passes(FORM.frozenMs);
      server.thaw();
    },
  ],
  [
    'is killed, and started again with its append-only file',
    async ({ server }) => {
      await server.kill();
      await server.start();
    },
  ],
  [
    'loses its lines at any moment, with replies on their way',
    async ({ server, line, team }) => {
      for (let cut = 0; cut < FORM.cuts && (await team.of('run.ended')).length === 0; cut++) {
        const facts = (await team.facts()).length;
        await passes(Math.random() * 200);
        line.cut();
        line.leadTo(server);
        await until(async () => (await team.facts()).length > facts, {
          ms: PATIENCE_MS,
          what: 'something was recorded since',
        });
      }
    },
  ],
  [
    'has no memory left for a while, and says so',
    async ({ team, tell, coordinator, workers }) => {
      await tell('CONFIG', 'SET', 'maxmemory', '1');
      await coordinator.says(/memory of Redis is full/);
      const [worker] = workers;
      await worker?.says(/memory of Redis is full/);
      const { stdout } = await team.bnerd('team', 'status', TEAM);
      expect(stdout).toMatch(/memory of Redis is full/);
      await tell('CONFIG', 'SET', 'maxmemory', '0');
    },
  ],
];

describePrivateRedis('a team that works, and whose server', () => {
  test.each(TROUBLES)('%s: the run is done, each thing once', async (_, befalls) => {
    const server = await privateRedis({
      config: ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
    });
    const at = redisAt(server.url);
    const line = await redisProxy(server);
    const team = await SharedTeam.of(chainsOf(FORM), at, { url: line.url });
    const coordinator = await team.coordinate();
    const workers = [await team.launch(), await team.launch()];
    const operator = at.connect();
    const tell: Scene['tell'] = async (command, ...words) => {
      await operator.ready(AbortSignal.timeout(PATIENCE_MS));
      return operator.client.call(command, ...words);
    };
    await team.fact('task.completed');
    await befalls({ server, line, team, coordinator, workers, tell });
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expectWhole(await team.log(), await team.at.file('effects'), FORM);
    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) expect((await worker.ended).exit).toBe(0);
  });
});

async function passes(ms: number): Promise<void> {
  const began = performance.now();
  await until(() => performance.now() - began >= ms, { ms: ms + 10_000, what: `${ms} ms have passed` });
}
