/** Cases Q and C about a queue that goes away: Redis dead, paused, failed over, emptied or full, and workers that die. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Redis } from 'ioredis';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { DueTurns } from '../../src/dispatch/due-turns.js';
import { ANYWHERE, type TurnJob, turnJob } from '../../src/dispatch/job.js';
import { systemClock } from '../../src/shared/clock.js';
import { isEmpty, queueAt, workersAt } from '../helpers/queue.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../helpers/redis.js';
import { type RedisProxy, redisProxy } from '../helpers/redis-proxy.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const PROGRAM = join(import.meta.dirname, '../fixtures/queue/worker.js');

const job = (cause: number, member = 'ada'): TurnJob =>
  turnJob({ team: 'run-x-01', member, role: 'engineer', cause, pool: ANYWHERE });

/** Lets so much time pass: an outage has a length. */
async function pass(ms: number): Promise<void> {
  const began = systemClock.monotonicMs();
  await until(() => systemClock.monotonicMs() - began > ms, { what: `${ms} ms have passed`, ms: 60_000 });
}

/** The causes of the jobs that have run, and what was told of troubles. */
function running(at: TestRedis) {
  const [ran, lines]: [number[], string[]] = [[], []];
  const workers = workersAt(at, {
    concurrency: 2,
    onTrouble: (line) => lines.push(line),
    handler: async ({ cause }) => {
      ran.push(cause);
    },
    onError: () => {},
  });
  const queue = queueAt(at, (line) => lines.push(line));
  /** Asks for a job until the queue takes it, as each look of a coordinator does. */
  const ask = (cause: number): Promise<unknown> =>
    until(async () => (await queue.enqueue(job(cause))).kind !== 'failed', {
      what: `job ${cause} is taken`,
      ms: 30_000,
    });
  const hasRun = (cause: number): Promise<unknown> =>
    until(() => ran.includes(cause), { what: `job ${cause} runs`, ms: 30_000 });
  return { ran, lines, workers, queue, ask, hasRun };
}

interface BlockedLine {
  readonly server: RedisServer;
  readonly proxy: RedisProxy;
  readonly client: Redis;
}

/** The process of a worker; ended with the test. */
function workerProcess(at: TestRedis, behaviour: 'sleeps' | 'blocks', program = PROGRAM) {
  const child = execa(process.execPath, [program, at.url, at.prefix, behaviour], {
    reject: false,
    all: true,
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
  });
  let said = '';
  child.all?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const says = (what: string): Promise<unknown> =>
    until(() => said.includes(what), { what: `the worker says "${what}"`, ms: 30_000 });
  return { child, says, said: () => said };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A server that another can follow. */
async function replicable(): Promise<{ server: RedisServer; port: number }> {
  const port = await freePort();
  return {
    server: await privateRedis({
      config: ['--port', `${port}`, '--bind', '127.0.0.1', '--repl-diskless-sync-delay', '0'],
    }),
    port,
  };
}

async function tell(server: RedisServer, command: string, ...words: readonly string[]): Promise<unknown> {
  const connection = redisAt(server.url).connect('record');
  await connection.ready(AbortSignal.timeout(10_000));
  return connection.client.call(command, ...words);
}

describePrivateRedis('while Redis is away', () => {
  test('Q3: closing ends with Redis down, with a job that ran and with one that does not end', async () => {
    const server = await privateRedis();
    const at = redisAt(server.url);
    const queue = queueAt(at, () => {});
    const handler = async ({ member }: TurnJob, signal: AbortSignal): Promise<void> => {
      const over = (resolve: () => void): void => signal.addEventListener('abort', resolve, { once: true });
      await new Promise<void>((resolve) => (member === 'deaf' ? undefined : over(resolve)));
    };
    const [idle, obeys, deaf] = ['idle', 'obeys', 'deaf'].map(() =>
      workersAt(at, { handler, onTrouble: () => {}, pools: [ANYWHERE] }),
    );
    if (idle === undefined || obeys === undefined || deaf === undefined) throw new Error('no workers');
    for (const member of ['obeys', 'deaf']) await queue.enqueue(job(1, member));
    const all = [idle, obeys, deaf];
    await until(() => all.reduce((sum, one) => sum + one.running(), 0) === 2, { what: 'two jobs run' });
    await server.kill();
    const ended = await Promise.all(all.map((one) => one.close(500)));
    expect(ended.flatMap(({ unfinished }) => unfinished)).toEqual([job(1, 'deaf')]);
    await server.start(); // For the check that nothing is left.
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'Q3: a process that is told %s with the queue down ends by itself, with its exit code',
    async (word) => {
      const server = await privateRedis();
      const at = redisAt(server.url);
      const { child, says, said } = workerProcess(at, 'sleeps');
      await queueAt(at, () => {}).enqueue(job(1));
      await says('start');
      await server.kill();
      await says('trouble');
      child.kill(word);
      expect((await child).exitCode).toBe(3);
      expect(said()).toContain('closed, unfinished 0');
      expect(said().match(/trouble Redis does not answer/g)).toHaveLength(1);
      await server.start();
    },
  );

  test.each([
    ['killed and started again', (server: RedisServer) => server.kill()],
    ['frozen', async (server: RedisServer) => server.freeze()],
  ])('Q31: workers go on after Redis was %s for longer than an idle worker waits', async (how, breaks) => {
    const server = await privateRedis();
    const { ran, lines, workers, ask, hasRun } = running(redisAt(server.url));
    await ask(1);
    await hasRun(1);
    await breaks(server);
    await pass(1_000);
    const during = workers.progressAt();
    await pass(3_000);
    // Health is progress: that the process lives and tries is none.
    expect(workers.progressAt()).toBe(during);
    if (how === 'frozen') server.thaw();
    else await server.start();
    await ask(2);
    await hasRun(2);
    await until(() => workers.progressAt() > during, { what: 'there is progress again' });
    expect(ran.filter((cause) => cause === 2)).toHaveLength(1);
    expect(lines.length).toBeLessThan(10);
  });

  test.each(['cut', 'left standing'] as const)(
    'Q31: workers go on after a failover behind one address, lines to the old server %s',
    async (fate) => {
      const [old, next] = [await replicable(), await replicable()];
      const proxy = await redisProxy(old.server);
      const { ran, lines, workers, ask, hasRun } = running(redisAt(proxy.url));
      await tell(next.server, 'REPLICAOF', '127.0.0.1', `${old.port}`);
      await ask(1);
      await hasRun(1);
      await until(
        async () => String(await tell(next.server, 'INFO', 'replication')).includes('master_link_status:up'),
        {
          what: 'the replica follows',
          ms: 30_000,
        },
      );
      if (fate === 'cut') proxy.cut();
      await tell(next.server, 'REPLICAOF', 'NO', 'ONE');
      proxy.leadTo(next.server);
      // The old one comes back as a replica of the new: it refuses what is written, and says so.
      await tell(old.server, 'REPLICAOF', '127.0.0.1', `${next.port}`);
      const before = workers.progressAt();
      for (let cause = 2; cause <= 5; cause++) {
        await ask(cause);
        await hasRun(cause);
      }
      expect(workers.progressAt()).toBeGreaterThan(before);
      expect(new Set(ran)).toEqual(new Set([1, 2, 3, 4, 5]));
      expect(lines.length).toBeLessThan(10);
    },
  );

  test('Q31: a server that was emptied in the middle costs one sweep: every member that is due has run', async () => {
    const server = await privateRedis();
    const at = redisAt(server.url);
    const due = new Set(Array.from({ length: 12 }, (_, cause) => cause + 1));
    const lines: string[] = [];
    let emptied = false;
    workersAt(at, {
      onTrouble: (line) => lines.push(line),
      handler: async ({ cause }) => {
        if (due.size === 6 && !emptied) {
          emptied = true;
          await tell(server, 'FLUSHALL');
        }
        due.delete(cause);
      },
    });
    const queue = queueAt(at, (line) => lines.push(line));
    const turns = new DueTurns({ queue, clock: systemClock, againMs: 200, onOverdue: () => {} });
    await until(
      async () => {
        await turns.look([...due].map((cause) => job(cause)));
        return due.size === 0;
      },
      { what: 'all have run', ms: 30_000 },
    );
    expect(emptied).toBe(true);
  });

  test.each<[string, (line: BlockedLine) => unknown, 'answered' | 'rejected']>([
    ['its client was disconnected', ({ client }) => client.disconnect(), 'rejected'],
    ['its line broke', ({ proxy, server }) => [proxy.cut(), proxy.leadTo(server)], 'answered'],
    ['the server closed it', ({ server }) => tell(server, 'CLIENT', 'KILL', 'TYPE', 'normal'), 'answered'],
    [
      'the server was started anew',
      async ({ server }) => [await server.kill(), await server.start()],
      'answered',
    ],
  ])('Q5: a blocking command does not dangle after %s', async (_, breaks, ends) => {
    const server = await privateRedis();
    const proxy = await redisProxy(server);
    const at = redisAt(proxy.url);
    const { client } = at.connect('blocking');
    const key = `${at.prefix}:list`;
    const waiting = client.brpop(key, 0).then(
      () => 'answered',
      () => 'rejected',
    );
    await until(() => client.status === 'ready', { what: 'the line stands' });
    await until(async () => String(await tell(server, 'CLIENT', 'LIST')).includes('cmd=brpop'), {
      what: 'the command blocks',
    });
    await breaks({ server, proxy, client });
    if (ends === 'answered') {
      await until(async () => String(await tell(server, 'CLIENT', 'LIST')).includes('cmd=brpop'), {
        what: 'it blocks again',
      });
      await tell(server, 'LPUSH', key, 'word');
    }
    expect(await waiting).toBe(ends);
  });

  test('Q25: with its memory full the queue refuses by name, once told, and goes on when there is room', async () => {
    const server = await privateRedis();
    const { lines, queue, ask, hasRun } = running(redisAt(server.url));
    await ask(1);
    await hasRun(1);
    await tell(server, 'CONFIG', 'SET', 'maxmemory', '1');
    for (let tries = 0; tries < 20; tries++) {
      expect(await queue.enqueue(job(2))).toMatchObject({ kind: 'failed', error: { message: /OOM/ } });
    }
    await tell(server, 'CONFIG', 'SET', 'maxmemory', '0');
    await ask(2);
    await hasRun(2);
    expect(lines.filter((line) => line.includes('OOM')).length).toBeLessThanOrEqual(2); // Queue and workers.
  });
});

describeRedis('bytes and dead workers', () => {
  const redis = redisForTests();

  test('Q25: what thousands of jobs leave behind stays within 256 KiB', async () => {
    const at = redis();
    const queue = queueAt(at);
    workersAt(at, { concurrency: 16, handler: async () => {} });
    for (let cause = 0; cause < 4_000; cause += 200) {
      await Promise.all(Array.from({ length: 200 }, (_, more) => queue.enqueue(job(cause + more + 1))));
    }
    await isEmpty(queue);
    const connection = at.connect('record');
    await connection.ready(AbortSignal.timeout(10_000));
    let bytes = 0;
    for (const key of await at.keys())
      bytes += Number(await connection.client.memory('USAGE', key, 'SAMPLES', 0));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(256 * 1024);
  });

  test('Q33: a worker works out of one bundled file, where no package can be required by name', async () => {
    const outDir = await tempDir('bundle');
    await build({
      configFile: false,
      logLevel: 'silent',
      build: { ssr: PROGRAM, outDir, emptyOutDir: false, minify: false },
      ssr: { noExternal: true, target: 'node' },
    });
    const at = redis();
    const { says } = workerProcess(at, 'sleeps', join(outDir, 'worker.js'));
    await queueAt(at).enqueue(job(1));
    await says(`start ${job(1).id}`);
  });

  test('C73: the job of a worker that is told to stop is with the next one at once', async () => {
    const at = redis();
    const { child, says } = workerProcess(at, 'sleeps');
    const queue = queueAt(at);
    await queue.enqueue(job(1));
    await says('start');
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(3);
    expect(await queue.counts(ANYWHERE)).toEqual({ waiting: 1, delayed: 0, active: 0 });
    const ran: number[] = [];
    workersAt(at, {
      timing: { stalledMs: 600_000 },
      handler: async ({ cause }) => {
        ran.push(cause);
      },
    });
    await until(() => ran.length === 1, { what: 'the next one has it' });
  });

  test.each([
    ['C73: the job of a worker that was killed', 'sleeps', 'SIGKILL'],
    ['Q18: the job of a worker whose process is blocked for ever', 'blocks', undefined],
  ] as const)('%s is found by the check for stalled jobs', async (_, behaviour, signal) => {
    const at = redis();
    const { child, says } = workerProcess(at, behaviour);
    const queue = queueAt(at);
    await queue.enqueue(job(1));
    await says('start');
    if (signal !== undefined) child.kill(signal);
    const ran: number[] = [];
    workersAt(at, {
      timing: { stalledMs: 250 },
      handler: async ({ cause }) => {
        ran.push(cause);
      },
    });
    await queue.enqueue(job(2)); // Others progress meanwhile.
    await until(() => ran.includes(1) && ran.includes(2), { what: 'both have run', ms: 30_000 });
  });
});
