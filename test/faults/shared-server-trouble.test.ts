// A team of several processes whose server is frozen, killed, full or cut off while they work: the run goes on and ends
// `done`, each thing done once, nothing half written (spec/engine.md §4).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMirror } from '../../src/events/redis/mirror-file.js';
import { mirrorPath } from '../../src/runtime/engine/mend-from-mirror.js';
import { expectInvariants } from '../cases/play.js';
import type { RunningBnerd } from '../helpers/bnerd.js';
import { LoopbackProxy } from '../helpers/loopback-proxy.js';
import { describePrivateRedis, privateRedis, redisAt, type TestRedis } from '../helpers/redis.js';
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

/** The same for a scene that has to be over before the run is. */
const SLOWLY: Form = { ...FORM, delayMs: 300 };

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

describePrivateRedis('a team that works, and whose server is followed by a replica that was behind', () => {
  test('nobody goes on with what that does not hold; it is kept and told, and the run is done', async () => {
    const primary = await privateRedis({ config: ['--repl-diskless-sync-delay', '0'] });
    const replica = await privateRedis();
    const [at, after] = [redisAt(primary.url), redisAt(replica.url)];
    const [line, replication] = [await redisProxy(primary), await LoopbackProxy.start(primary.socket)];
    const follower = after.connect();
    await follower.ready(AbortSignal.timeout(PATIENCE_MS));
    await follower.client.replicaof('127.0.0.1', replication.port);
    const connect: TestRedis['connect'] = () => at.connectBy(line.url);
    const team = await SharedTeam.of(chainsOf(SLOWLY), { ...at, connect }, { url: line.url });
    const folder = join(team.at.place.state, 'served', at.prefix, TEAM);
    const coordinator = await team.coordinate();
    const workers = [await team.launch(), await team.launch()];
    await team.fact('task.completed');
    const log = at.names.log(TEAM);
    await until(async () => (await follower.client.xlen(log)) > 0, { ms: PATIENCE_MS, what: 'it follows' });
    replication.line = 'down';
    replication.cut();
    const held = (await team.facts()).length;
    // Whoever coordinates has to have seen it as well: what workers alone have seen they tell of, and nobody keeps it.
    const seen = async (): Promise<number> => {
      const { entries = [] } = (await readMirror(mirrorPath(folder), TEAM)) ?? {};
      return entries.flatMap(({ facts }) => facts).length;
    };
    await until(async () => (await seen()) > held + 10, { ms: PATIENCE_MS, what: 'it goes on' });
    await primary.kill();
    await follower.client.replicaof('NO', 'ONE');
    line.cut();
    line.leadTo(replica);
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    const [resumed] = await team.of('run.resumed');
    expect(resumed?.findings.map(({ code }) => code)).toContain('log-shorter');
    expect(run.stderr).toContain(join(folder, 'log.lost'));
    // An entry that only the mirror had seen is in no log any more, and what was done under it may be done again.
    const known = new Set((await team.log()).map((entry) => JSON.stringify(entry)));
    const lost = (await readFile(join(folder, 'log.lost'), 'utf8')).trimEnd().split('\n');
    const entries = lost.map((one) => JSON.parse(one)).map(({ set_aside: _, ...entry }) => entry);
    expect(entries.filter((entry) => known.has(JSON.stringify(entry)))).toEqual([]);
    const effects = new Set((await team.at.file('effects'))?.trimEnd().split('\n'));
    expect(effects.size).toBe(FORM.members * FORM.rounds + 1);
    expectInvariants({ entries: await team.log() });
    expect(await team.bnerd('team', 'verify', TEAM)).toMatchObject({ exit: 0 });
    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) expect((await worker.ended).exit).toBe(0);
    await primary.start(); // For the check that nothing is left.
  });
});

async function passes(ms: number): Promise<void> {
  const began = performance.now();
  await until(() => performance.now() - began >= ms, { ms: ms + 10_000, what: `${ms} ms have passed` });
}
