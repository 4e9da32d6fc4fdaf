import { expect, onTestFinished, test } from 'vitest';
import { LeaseKeeper } from '../../src/dispatch/lease-keeper.js';
import {
  isLive,
  keepLive,
  leave,
  liveWorkers,
  type PresenceHouse,
  registerWorker,
  unserved,
  type WorkerSays,
} from '../../src/dispatch/presence.js';
import { systemClock } from '../../src/shared/clock.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../helpers/redis.js';
import { until } from '../helpers/until.js';

const FOREVER = new AbortController().signal;
const says = (more: Partial<WorkerSays> = {}): WorkerSays => ({
  pools: ['turns', 'turns.h1'],
  providers: ['anthropic'],
  version: '0.1.0',
  maxSafety: 'full',
  workspaceRoots: [],
  operators: [],
  signed: 'with a key',
  slots: 4,
  running: 0,
  host: 'h1',
  pid: 12,
  silentMs: 0,
  ...more,
});

async function processAt(redis: TestRedis, leaseMs = 60_000): Promise<PresenceHouse> {
  const connection = redis.connect('record');
  await connection.ready(AbortSignal.timeout(10_000));
  const keeper = new LeaseKeeper({
    client: connection.client,
    clock: systemClock,
    timing: { leaseMs, beatMs: Math.min(100, leaseMs / 4), graceMs: leaseMs / 10 },
    onTrouble: () => {},
  });
  onTestFinished(() => keeper.close());
  return { client: connection.client, names: redis.names, clock: systemClock, keeper };
}

describeRedis('who is there', () => {
  const redis = redisForTests();

  test('workers are listed with what they serve, and a pool that nobody serves is found', async () => {
    const at = redis();
    const [one, other] = [await processAt(at), await processAt(at)];
    const first = await registerWorker(one, 'w-1', says);
    await registerWorker(other, 'w-2', () => says({ pools: ['briefs.gpu'], host: 'h2' }));
    const workers = await liveWorkers(one);
    expect(workers).toEqual([
      { id: 'w-1', ...says() },
      { id: 'w-2', ...says({ pools: ['briefs.gpu'], host: 'h2' }) },
    ]);
    expect(unserved(['turns', 'turns.h2', 'briefs.gpu', 'turns.h2'], workers)).toEqual(['turns.h2']);
    await leave(one, first);
    expect((await liveWorkers(other)).map(({ id }) => id)).toEqual(['w-2']);
  });

  test('what a worker says is new with each beat', async () => {
    const one = await processAt(redis());
    let silentMs = 0;
    const lease = await registerWorker(one, 'w-1', () => says({ silentMs }));
    silentMs = 77;
    await lease.prove(FOREVER);
    expect((await liveWorkers(one))[0]?.silentMs).toBe(77);
  });

  test('who died is gone after one lease; a team is live as long as one process runs it', async () => {
    const at = redis();
    const [dies, stays] = [await processAt(at, 200), await processAt(at, 200)];
    await registerWorker(dies, 'w-1', says);
    await keepLive(dies, 'run-x', 'not yet');
    await keepLive(stays, 'run-x', 'not yet');
    dies.keeper.close(); // As a process that was killed: nothing is taken back.
    await until(async () => (await liveWorkers(stays)).length === 0, { what: 'the dead worker is gone' });
    expect(await isLive(stays, 'run-x')).toBe(true);
    stays.keeper.close();
    await until(async () => !(await isLive(stays, 'run-x')), { what: 'nobody runs the team' });
  });

  test('a registration in a form that is not ours is no worker', async () => {
    const one = await processAt(redis());
    for (const text of ['{', '{"pools":"turns"}', '1']) {
      await one.client.set(one.names.worker('w-9'), text);
      expect(await liveWorkers(one)).toEqual([]);
    }
  });
});

describePrivateRedis('who is there while Redis is away', () => {
  test('a worker is listed again when Redis is back, also after more than a lease and with its data lost', async () => {
    const server = await privateRedis();
    const one = await processAt(redisAt(server.url), 400);
    const lease = await registerWorker(one, 'w-1', says);
    await server.kill();
    const began = systemClock.monotonicMs();
    await until(() => systemClock.monotonicMs() - began > 800, { what: 'two leases have passed' });
    await server.start();
    await until(async () => one.client.status === 'ready', { what: 'the line stands again' });
    await until(async () => (await liveWorkers(one)).length === 1, { what: 'the worker is listed again' });
    expect(lease.signal.aborted).toBe(false);
  });
});
