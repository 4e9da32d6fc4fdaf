import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { LeaseKeeper, type LeaseTiming } from '../../src/dispatch/lease-keeper.js';
import {
  giveBackRun,
  giveBackTurn,
  type LeaseHouse,
  runHolder,
  takeRun,
  takeTurn,
  turnIsHeld,
} from '../../src/dispatch/leases.js';
import { type Clock, systemClock } from '../../src/shared/clock.js';
import { BugError } from '../../src/shared/errors.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../helpers/redis.js';
import { until } from '../helpers/until.js';

const TEAM = 'run-x-01';
const FOREVER = new AbortController().signal;
const SLOW: LeaseTiming = { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 };

/** A process that takes leases. */
async function processAt(
  redis: TestRedis,
  id: string,
  { timing = SLOW, clock = systemClock }: { timing?: LeaseTiming; clock?: Clock } = {},
): Promise<LeaseHouse & { readonly troubles: unknown[] }> {
  const connection = redis.connect('record');
  await connection.ready(AbortSignal.timeout(10_000));
  const troubles: unknown[] = [];
  const keeper = new LeaseKeeper({
    client: connection.client,
    clock,
    timing,
    onTrouble: (error) => troubles.push(error),
  });
  onTestFinished(() => keeper.close());
  const holder = { id, host: 'host with blanks', pid: 4_711 };
  return { client: connection.client, names: redis.names, clock, keeper, holder, troubles };
}

async function taken<One>(answer: Promise<{ kind: 'taken'; lease: One } | { kind: 'held' }>): Promise<One> {
  const got = await answer;
  if (got.kind !== 'taken') throw new Error('it is held');
  return got.lease;
}

const expiry = (client: Redis, key: string): Promise<number> => client.pttl(key);

describeRedis('leases', () => {
  const redis = redisForTests();

  test('a turn is held by one, named with its host and process; given back it is free at once', async () => {
    const at = redis();
    const [one, other] = [await processAt(at, 'p1'), await processAt(at, 'p2')];
    const lease = await taken(takeTurn(one, TEAM, 17));
    expect(lease.key).toBe(at.names.turnLease(TEAM, 17));
    const by = { id: 'p1', host: 'host with blanks', pid: 4_711, fence: 17 };
    expect(await takeTurn(other, TEAM, 17)).toEqual({ kind: 'held', by });
    expect(await turnIsHeld(other, TEAM, 17)).toBe(true);
    await giveBackTurn(one, lease);
    expect(await turnIsHeld(other, TEAM, 17)).toBe(false);
    expect(lease.signal.aborted).toBe(false);
  });

  test('of many that take a run at once one has it, and each holder has a greater fence than all before', async () => {
    const at = redis();
    const houses = await Promise.all(['a', 'b', 'c', 'd'].map((id) => processAt(at, id)));
    const fences: number[] = [];
    await houses[0]?.client.xadd(at.names.log(TEAM), '*', 'h', ''); // Something is recorded of it.
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(houses.map((house) => takeRun(house, TEAM)));
      const winners = answers.flatMap((answer, place) =>
        answer.kind === 'taken' ? [{ lease: answer.lease, house: houses[place] }] : [],
      );
      expect(winners).toHaveLength(1);
      const [{ lease, house } = winners[0] as never] = winners;
      if (house === undefined) throw new Error('no house');
      expect(await runHolder(house, TEAM)).toMatchObject({ id: house.holder.id, fence: lease.fence });
      fences.push(lease.fence);
      await giveBackRun(house, TEAM, lease);
    }
    expect(fences).toEqual([1, 2, 3, 4, 5]);
    expect(await runHolder(await processAt(at, 'e'), TEAM)).toBeUndefined();
  });

  test('nobody gives back what somebody else holds by now', async () => {
    const at = redis();
    const [one, other] = [await processAt(at, 'p1'), await processAt(at, 'p2')];
    const lease = await taken(takeRun(one, TEAM));
    await one.client.del(lease.key); // It has expired.
    await taken(takeRun(other, TEAM));
    await giveBackRun(one, TEAM, lease);
    expect(await runHolder(one, TEAM)).toMatchObject({ id: 'p2', fence: 2 });
  });

  test('C55: the expiry moves with each beat, and the turn of a diligent worker is never anybody else’s', async () => {
    const at = redis();
    const timing = { leaseMs: 600, beatMs: 50, graceMs: 100 };
    const one = await processAt(at, 'p1', { timing });
    const other = await processAt(at, 'p2');
    const lease = await taken(takeTurn(one, TEAM, 3));
    const began = systemClock.monotonicMs();
    let least = Number.POSITIVE_INFINITY;
    while (systemClock.monotonicMs() - began < 3 * timing.leaseMs) {
      expect((await takeTurn(other, TEAM, 3)).kind).toBe('held');
      least = Math.min(least, await expiry(other.client, lease.key));
      await lease.prove(FOREVER);
    }
    expect(lease.isHeld()).toBe(true);
    expect(least).toBeGreaterThan(0);
  });

  test('a lease whose key is gone, or is another’s, is lost at the next beat and never comes back', async () => {
    const at = redis();
    const one = await processAt(at, 'p1', { timing: { leaseMs: 5_000, beatMs: 30, graceMs: 100 } });
    const [turn, run] = [await taken(takeTurn(one, TEAM, 3)), await taken(takeRun(one, TEAM))];
    await one.client.del(turn.key);
    await one.client.set(run.key, '9 other 1 elsewhere', 'PX', 60_000);
    await until(() => turn.signal.aborted && run.signal.aborted, { what: 'both are lost' });
    expect(turn.signal.reason).toMatchObject({ code: 'lease-lost' });
    await one.client.set(turn.key, '3 p1 4711 host', 'PX', 60_000);
    await expect(turn.prove(FOREVER)).rejects.toMatchObject({ code: 'lease-lost' });
    expect(turn.isHeld()).toBe(false);
  });

  test('many leases cost one round trip a beat', async () => {
    const at = redis();
    const one = await processAt(at, 'p1', { timing: { leaseMs: 5_000, beatMs: 1_000, graceMs: 100 } });
    const leases = await Promise.all(
      Array.from({ length: 50 }, (_, turn) => taken(takeTurn(one, TEAM, turn + 1))),
    );
    let sent = 0;
    const pipeline = one.client.pipeline.bind(one.client);
    one.client.pipeline = (...given) => {
      sent++;
      return pipeline(...given);
    };
    await leases[0]?.prove(FOREVER);
    expect(sent).toBe(1);
    const left = await Promise.all(leases.map(({ key }) => expiry(one.client, key)));
    expect(Math.min(...left)).toBeGreaterThan(4_000);
  });

  test('what has run out by the clock is lost before anybody asks the server', async () => {
    let now = 1_000;
    const clock = { wallMs: () => 0, monotonicMs: () => now };
    const one = await processAt(redis(), 'p1', { clock });
    const lease = await taken(takeTurn(one, TEAM, 3));
    now += SLOW.leaseMs - SLOW.graceMs - 1;
    expect(lease.isHeld()).toBe(true);
    now += 1;
    expect(lease.isHeld()).toBe(false);
    expect(lease.signal.reason).toMatchObject({ code: 'lease-lost' });
  });

  test.each([
    { leaseMs: 100, beatMs: 0, graceMs: 0 },
    { leaseMs: 100, beatMs: 50, graceMs: 50 },
    { leaseMs: 100, beatMs: 10, graceMs: -1 },
  ])('times without room for a missed beat are refused: %j', async (timing) => {
    await expect(processAt(redis(), 'p1', { timing })).rejects.toThrow(BugError);
  });
});

describePrivateRedis('leases while Redis is away', () => {
  const timing = { leaseMs: 1_500, beatMs: 100, graceMs: 300 };

  test('C71: side effects wait until the lease is proved again, and go on when it still is', async () => {
    const server = await privateRedis();
    const one = await processAt(redisAt(server.url), 'p1', { timing: { ...timing, leaseMs: 20_000 } });
    const lease = await taken(takeTurn(one, TEAM, 3));
    server.freeze();
    let proved = false;
    const proving = lease.prove(FOREVER).then(() => {
      proved = true;
    });
    const began = systemClock.monotonicMs();
    await until(() => systemClock.monotonicMs() - began > 5 * timing.beatMs, {
      what: 'five beats have passed',
    });
    expect([proved, lease.isHeld()]).toEqual([false, true]);
    server.thaw();
    await proving;
    expect([proved, lease.isHeld()]).toEqual([true, true]);
  });

  test('C71: else the worker aborts itself, while its key still keeps others out', async () => {
    const server = await privateRedis();
    const one = await processAt(redisAt(server.url), 'p1', { timing });
    const lease = await taken(takeTurn(one, TEAM, 3));
    await lease.prove(FOREVER);
    server.freeze();
    const proving = expect(lease.prove(FOREVER)).rejects.toMatchObject({ code: 'lease-lost' });
    await until(() => lease.signal.aborted, { what: 'the lease is lost without an answer' });
    await proving;
    server.thaw();
  });

  test('a beat that fails is told, and the next one that is answered makes up for it', async () => {
    const server = await privateRedis();
    const one = await processAt(redisAt(server.url), 'p1', { timing: { ...timing, leaseMs: 30_000 } });
    const lease = await taken(takeTurn(one, TEAM, 3));
    await one.client.config('SET', 'maxclients', '100');
    one.client.disconnect(true);
    await until(() => one.troubles.length > 0 || one.client.status === 'ready', { what: 'the line is cut' });
    await lease.prove(FOREVER);
    expect(lease.isHeld()).toBe(true);
  });

  test('a server that is out of memory still moves the expiry', async () => {
    const server = await privateRedis();
    const one = await processAt(redisAt(server.url), 'p1', { timing: { ...timing, leaseMs: 30_000 } });
    const [turn, run] = [await taken(takeTurn(one, TEAM, 3)), await taken(takeRun(one, TEAM))];
    await one.client.config('SET', 'maxmemory', '1');
    await expect(one.client.set('x', '1')).rejects.toThrow(/OOM/);
    await Promise.all([turn.prove(FOREVER), run.prove(FOREVER)]);
    await Promise.all([giveBackTurn(one, turn), giveBackRun(one, TEAM, run)]);
    expect(await turnIsHeld(one, TEAM, 3)).toBe(false);
    await one.client.config('SET', 'maxmemory', '0');
  });
});
