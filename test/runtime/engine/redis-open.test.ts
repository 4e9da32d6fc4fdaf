// Who may take a team while another process has the lease of its run (spec/engine.md §3).
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clearing, giveBackRun, type Holder, takeRun } from '../../../src/dispatch/leases.js';
import { openLink, type RedisLink } from '../../../src/runtime/engine/redis-link.js';
import { type OpenedRedis, openRedisTeam } from '../../../src/runtime/engine/redis-open.js';
import { describeRedis, redisForTests, type TestRedis } from '../../helpers/redis.js';
import { TEAM } from '../../helpers/redis-record.js';
import { onRedis, redisPlace } from '../../helpers/redis-team.js';
import { writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../job.js';

describeRedis('a team whose run another process has', () => {
  const redis = redisForTests();

  /** Another live process of this machine, with the lease as who it says it is. */
  async function other(on: TestRedis, as: (holder: Holder) => Holder): Promise<() => Promise<void>> {
    const { house } = onRedis(await writeMission(JOB), on);
    const opened = await openLink(house, redisPlace(on));
    onTestFinished(() => opened.close());
    const link: RedisLink = { ...opened, holder: as(opened.holder) };
    const taken = await takeRun(link, TEAM);
    if (taken.kind !== 'taken') throw new Error('it is held');
    return () => giveBackRun(link, TEAM, taken.lease);
  }

  async function open(on: TestRedis): Promise<OpenedRedis> {
    const { house } = onRedis(await writeMission(JOB), on);
    const folder = join(house.home, 'served', TEAM);
    const opening = { id: TEAM, folder, mode: 'create', missing: 'unknown' } as const;
    const opened = await openRedisTeam(house, redisPlace(on), opening);
    if (opened.kind === 'open') onTestFinished(() => opened.team.releases.run());
    return opened;
  }

  test('is refused while it coordinates it', async () => {
    const on = redis();
    const giveBack = await other(on, (holder) => holder);
    expect(await open(on)).toMatchObject({ kind: 'held', finding: { code: 'team-held' } });
    await giveBack();
  });

  test('is had when that was a worker which cleared away what was left, and is done', async () => {
    const on = redis();
    const giveBack = await other(on, clearing);
    const began = performance.now();
    let settled = false;
    const opening = open(on).finally(() => {
      settled = true;
    });
    // Longer than it takes to be refused, and shorter than a lease.
    await until(() => settled || performance.now() - began > 500, { what: 'it has asked' });
    expect(settled).toBe(false);
    await giveBack();
    expect(await opening).toMatchObject({ kind: 'open' });
  });
});
