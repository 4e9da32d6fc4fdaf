// Who may say that a log which is missing was lost, and not put away (spec/engine.md §1 "Loss", §3 "cleanup").
import { expect, onTestFinished, test } from 'vitest';
import { giveBackRun, runHolder, takeRun } from '../../../src/dispatch/leases.js';
import { KeptRun } from '../../../src/runtime/engine/kept-run.js';
import { openLink, type RedisLink } from '../../../src/runtime/engine/redis-link.js';
import { systemClock } from '../../../src/shared/clock.js';
import { entryAt } from '../../contracts/record-samples.js';
import { describeRedis, redisForTests, type TestRedis } from '../../helpers/redis.js';
import { openRecordOn, TEAM } from '../../helpers/redis-record.js';
import { redisPlace } from '../../helpers/redis-team.js';
import { until } from '../../helpers/until.js';

const TIMING = { leaseMs: 600, beatMs: 50, graceMs: 100 };

describeRedis('the lease of a run whose log is gone', () => {
  const redis = redisForTests();

  async function linkOn(on: TestRedis, clock = systemClock): Promise<RedisLink> {
    const link = await openLink({ clock, hostname: 'here' }, redisPlace(on, { timing: TIMING }));
    onTestFinished(() => link.close());
    return link;
  }

  /** A team with a record, and a process that coordinates it. */
  async function coordinated(
    on: TestRedis,
    clock = systemClock,
  ): Promise<{ link: RedisLink; kept: KeptRun; lapsed: AbortSignal }> {
    const { record } = await openRecordOn(on, { mode: 'create' });
    await record.log.append(entryAt(1));
    const link = await linkOn(on, clock);
    const taken = await takeRun(link, TEAM);
    if (taken.kind !== 'taken') throw new Error('it is held');
    const kept = new KeptRun(link, TEAM, taken.lease);
    onTestFinished(() => kept.close());
    return { link, kept, lapsed: taken.lease.signal };
  }

  /** Until its lease is gone for it, and it has tried once to take it anew: what it asks is answered in order. */
  async function triedAgain({ link, lapsed }: { link: RedisLink; lapsed: AbortSignal }): Promise<void> {
    await until(() => lapsed.aborted, { what: 'its lease is gone for it' });
    await link.client.ping();
  }

  async function loseAll(on: TestRedis, { client }: RedisLink): Promise<void> {
    await client.del(...(await on.keys()));
  }

  test('with the lease it is lost, and is taken anew for whoever puts the log back', async () => {
    const on = redis();
    const { link, kept } = await coordinated(on);
    await loseAll(on, link);
    expect(await kept.takeOfLost()).toBe(true);
    expect(await runHolder(link, TEAM)).toMatchObject({ id: link.holder.id });
    await kept.close();
    expect(await on.keys(), 'nothing was put back, and nothing is left').toEqual([]);
  });

  test('the same when a beat has found the lease gone as well; no key of it is made before that', async () => {
    const on = redis();
    const { link, kept, lapsed } = await coordinated(on);
    await loseAll(on, link);
    await triedAgain({ link, lapsed });
    expect(await on.keys()).toEqual([]);
    expect(await kept.takeOfLost()).toBe(true);
  });

  test('a worker that clears away what is left has it for a moment: that is waited for', async () => {
    const on = redis();
    const { link, kept } = await coordinated(on);
    const worker = await linkOn(on);
    await loseAll(on, link);
    const clearing = await takeRun(worker, TEAM);
    if (clearing.kind !== 'taken') throw new Error('it is held');
    const taking = kept.takeOfLost();
    await giveBackRun(worker, TEAM, clearing.lease);
    expect(await taking).toBe(true);
  });

  test('where it had run out the team may have been put away: nothing is taken, nothing comes back', async () => {
    const on = redis();
    let asleep = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + asleep };
    const { link, kept, lapsed } = await coordinated(on, clock);
    asleep = 2 * TIMING.leaseMs;
    await loseAll(on, link);
    expect(await kept.takeOfLost()).toBe(false);
    await triedAgain({ link, lapsed });
    expect(await on.keys()).toEqual([]);
    expect(await kept.takeOfLost()).toBe(false);
  });

  test('where another runs the team by then it is his', async () => {
    const on = redis();
    const { link, kept } = await coordinated(on);
    const other = await linkOn(on);
    await loseAll(on, link);
    await takeRun(other, TEAM);
    const { record } = await openRecordOn(on, { mode: 'create' });
    await record.log.append(entryAt(1));
    expect(await kept.takeOfLost()).toBe(false);
  });
});
