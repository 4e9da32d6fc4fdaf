// Teams of several processes on a Redis of their own: processes that freeze or are killed, and a server that is away, full,
// or loses what it had. The run goes on, or it ends with a named error; it never hangs and never forks (spec/engine.md §4).

import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { liveWorkers } from '../../src/dispatch/presence.js';
import { does, expectInvariants, shell } from '../cases/play.js';
import { oneTask } from '../e2e/missions.js';
import type { BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { redisProxy } from '../helpers/redis-proxy.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { type Chains, chainsOf, expectWhole, liveTwice } from './chains.js';
import { SharedTeam } from './shared-team.js';

const AOF = ['--appendonly', 'yes', '--appendfsync', 'always'];
const CHAINS: Chains = { members: 4, rounds: 5, delayMs: 150 };

interface Scene {
  readonly server: RedisServer;
  readonly team: SharedTeam;
  readonly coordinator: RunningBnerd;
  readonly workers: readonly RunningBnerd[];
}

/** A run with two workers, of which some turns have ended. */
async function underWay(config: readonly string[] = [], url?: (server: RedisServer) => Promise<string>) {
  const server = await privateRedis({ config });
  const options = url === undefined ? {} : { url: await url(server) };
  const team = await SharedTeam.of(chainsOf(CHAINS), redisAt(server.url), options);
  const coordinator = await team.coordinate();
  const workers = [await team.launch(), await team.launch()];
  await team.fact('task.completed');
  return { server, team, coordinator, workers } satisfies Scene;
}

async function expectDone({ team }: Pick<Scene, 'team'>, run: BnerdRun): Promise<void> {
  expect(run.exit, run.stderr).toBe(0);
  expectWhole(await team.log(), await team.at.file('effects'), CHAINS);
}

async function passes(ms: number): Promise<void> {
  const began = performance.now();
  await until(() => performance.now() - began >= ms, { ms: ms + 10_000, what: `${ms} ms have passed` });
}

describePrivateRedis('a worker that is frozen past its lease', () => {
  test('is no more among those that live; its turn is another’s, its tool is ended, and thawed it writes nothing', async () => {
    const mission = oneTask(
      [
        does(shell('echo begun >> begun; until [ -e go ]; do sleep 0.05; done; echo late >> late')),
        {
          when: ['interrupted:'],
          ...does(shell('echo again >> again; until [ -e go-on ]; do sleep 0.05; done')),
        },
      ],
      { recipe: { safety: 'full' } },
    );
    const at = redisAt((await privateRedis()).url);
    const team = await SharedTeam.of(mission, at);
    const coordinator = await team.coordinate();
    const frozen = await team.worker();
    await team.at.files('begun');
    const connection = at.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    const pids = async (): Promise<number[]> =>
      (await liveWorkers({ client: connection.client, names: at.names })).map(({ pid }) => pid);
    expect(await pids()).toEqual([frozen.pid]);
    frozen.signal('SIGSTOP');
    const second = await team.worker();
    await team.fact('turn.lost');
    await team.at.files('again');
    await until(async () => !(await pids()).includes(frozen.pid), { what: 'its silence is seen' });
    await writeFile(join(team.at.workspace, 'go'), '');
    const before = [await team.log(), await team.transcript('worker')];
    frozen.signal('SIGCONT');
    await until(async () => (await pids()).includes(frozen.pid), { what: 'it lives again' });
    frozen.signal('SIGTERM');
    expect((await frozen.ended).exit).toBe(0);
    expect([await team.log(), await team.transcript('worker')]).toEqual(before);
    expect(await team.at.file('late')).toBeUndefined();
    await writeFile(join(team.at.workspace, 'go-on'), '');
    expect((await coordinator.ended).exit).toBe(0);
    expect((await team.of('turn.started')).filter(({ worker }) => worker === undefined)).toEqual([]);
    expectInvariants({ entries: await team.log() });
    expect(liveTwice(await team.log())).toEqual([]);
    second.signal('SIGTERM');
    expect((await second.ended).exit).toBe(0);
  });
});

describePrivateRedis('the server of a team that runs', () => {
  test('is killed and started again with its append-only file: the run goes on', async () => {
    const scene = await underWay(AOF);
    await scene.server.kill();
    await scene.server.start();
    await expectDone(scene, await scene.coordinator.ended);
  });

  test('says nothing for longer than a lease: the run goes on', async () => {
    const scene = await underWay();
    scene.server.freeze();
    await passes(4_000);
    scene.server.thaw();
    await expectDone(scene, await scene.coordinator.ended);
  });

  test('is cut off three times, with replies on their way: the run goes on', async () => {
    let proxy: Awaited<ReturnType<typeof redisProxy>> | undefined;
    const scene = await underWay([], async (server) => {
      proxy = await redisProxy(server);
      return proxy.url;
    });
    for (let times = 1; times <= 3; times++) {
      const done = (await scene.team.of('task.completed')).length;
      proxy?.cut();
      proxy?.leadTo(scene.server);
      await until(async () => (await scene.team.of('task.completed')).length > done, {
        ms: 60_000,
        what: 'it goes on',
      });
    }
    await expectDone(scene, await scene.coordinator.ended);
  });

  test('is full: the run ends by name here, and goes on when there is room', async () => {
    const scene = await underWay(['--maxmemory-policy', 'noeviction']);
    const connection = scene.team.redis.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    await connection.client.config('SET', 'maxmemory', 1);
    const full = await scene.coordinator.ended;
    expect(full.exit).not.toBe(0);
    expect(full.stderr).toMatch(/redis-full|out of memory|OOM/);
    await connection.client.config('SET', 'maxmemory', 0);
    await expectDone(scene, await (await scene.team.resume()).ended);
  });

  test('loses the log under its writers: all of them say so, and nobody makes it anew', async () => {
    const { team, coordinator, workers } = await underWay();
    const connection = team.redis.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    await connection.client.del(team.redis.names.log('one'));
    const run = await coordinator.ended;
    expect(run.exit).not.toBe(0);
    expect(run.stderr).toMatch(/is not there any more/);
    for (const worker of workers) {
      worker.signal('SIGTERM');
      expect((await worker.ended).exit).toBe(0);
    }
    expect(await connection.client.exists(team.redis.names.log('one'))).toBe(0);
  });

  test('goes back to an older state: this process says what is missing; resumed, the run goes on from what is there', async () => {
    const scene = await underWay(AOF);
    const { server, team, coordinator, workers } = scene;
    await server.kill();
    const [aof, kept] = [join(server.folder, 'appendonlydir'), join(server.folder, 'kept')];
    await cp(aof, kept, { recursive: true });
    await server.start();
    const then = (await team.log()).length;
    await until(async () => (await team.log()).length > then + 3, { ms: 60_000, what: 'it goes on' });
    await server.kill();
    await rm(aof, { recursive: true });
    await cp(kept, aof, { recursive: true });
    await server.start();
    const lost = await coordinator.ended;
    expect(lost.exit).not.toBe(0);
    expect(lost.stderr).toMatch(/are missing/);
    const run = await (await team.resume()).ended;
    expect(run.exit, run.stderr).toBe(0);
    const log = await team.log();
    expectInvariants({ entries: log });
    expect(liveTwice(log)).toEqual([]);
    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) expect((await worker.ended).exit).toBe(0);
  });
});

describePrivateRedis('Q3: told to stop while the server', () => {
  test.each([
    ['is gone', (server: RedisServer) => server.kill()],
    ['says nothing', async (server: RedisServer) => server.freeze()],
  ])(
    '%s, coordinator and worker end within their grace, and say what may go on elsewhere',
    async (_, breaks) => {
      const server = await privateRedis();
      const at = redisAt(server.url);
      const mission = oneTask([does(shell('echo begun >> begun; sleep 600'))], {
        recipe: { safety: 'full' },
      });
      const team = await SharedTeam.of(mission, at, { lease: '30s' });
      const coordinator = await team.coordinate(['--grace', '1s']);
      const worker = await team.worker(['--grace', '1s']);
      await team.at.files('begun');
      await breaks(server);
      const began = performance.now();
      coordinator.signal('SIGTERM');
      worker.signal('SIGTERM');
      const took = async ({ ended }: RunningBnerd): Promise<BnerdRun & { ms: number }> => {
        const run = await ended;
        return { ...run, ms: performance.now() - began };
      };
      const [coordinated, worked] = await Promise.all([took(coordinator), took(worker)]);
      process.stdout.write(`away: ${Math.round(coordinated.ms)} and ${Math.round(worked.ms)} ms\n`);
      expect(coordinated.exit, coordinated.stderr).toBe(143);
      expect(coordinated.stderr).toContain('may go on until their leases end');
      expect(worked.exit, worked.stderr).toBe(0);
      // Long before any wait for the server would be over; how long it takes is not the test's to say on a loaded machine.
      expect(Math.max(coordinated.ms, worked.ms)).toBeLessThan(15_000);
      server.thaw === undefined || (await server.kill());
      await server.start();
    },
  );
});
