// A result that nobody takes ends all the same: there is no such team any more, or it is too old; each is told (spec/runner.md §3
// "Report").
import { utimes } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Outbox } from '../../../src/delegate/runner/outbox.js';
import { BriefPost } from '../../../src/dispatch/brief-post.js';
import { LeaseKeeper } from '../../../src/dispatch/lease-keeper.js';
import { RunnerPost } from '../../../src/dispatch/runner-post.js';
import { Deliveries } from '../../../src/runtime/runners/deliveries.js';
import { systemClock } from '../../../src/shared/clock.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { aBrief, resultOrder } from '../../helpers/briefs.js';
import { describeRedis, redisForTests, type TestRedis } from '../../helpers/redis.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';

const PAIR = newKeyPair();
const BRIEF = aBrief(PAIR);
const { team, id: brief } = BRIEF;
const DAY_MS = 24 * 3_600_000;
const TIMING = { leaseMs: 600, beatMs: 100, graceMs: 100 };

/** A runner with one result in its outbox, and a team that has an inbox or has none. */
async function ofRunner(redis: TestRedis) {
  const connection = redis.connect();
  await connection.ready(new AbortController().signal);
  const { client } = connection;
  const { names } = redis;
  const keeper = new LeaseKeeper({ client, clock: systemClock, timing: TIMING, onTrouble: () => {} });
  onTestFinished(() => keeper.close());
  const workdir = await tempDir('runner');
  const outbox = new Outbox(workdir);
  await outbox.put(signed('result', resultOrder(BRIEF), PAIR), null);
  const notes: string[] = [];
  const deliveries = new Deliveries({
    runner: { workdir, clock: systemClock },
    post: new RunnerPost({ client, names, clock: systemClock, keeper }, 'vm'),
    clock: systemClock,
    ...TIMING,
    note: (text) => notes.push(text),
    onTrouble: (error) => notes.push(String(error)),
  });
  onTestFinished(() => deliveries.close(0));
  return { outbox, notes, deliveries, desk: new BriefPost({ client, names }, team) };
}

describeRedis('a result on its way', () => {
  const redis = redisForTests();

  test('of a team that is not there any more is given up after a lease, and that is told', async () => {
    const { outbox, notes, deliveries } = await ofRunner(redis());
    await deliveries.begin();
    await until(() => deliveries.size === 0, { what: 'nothing is on its way' });
    expect(notes).toEqual([
      '1 results of before wait to be taken',
      `${brief}: there is no team ${team} any more: its result is given up`,
    ]);
    expect(await outbox.list()).toEqual({ waiting: [], findings: [] });
  });

  test('of a team that comes back within the lease is brought, and goes once it was taken', async () => {
    const { outbox, notes, deliveries, desk } = await ofRunner(redis());
    await deliveries.begin();
    await desk.open();
    await until(async () => (await desk.result(brief, 1 << 20)) !== null, { what: 'the result is brought' });
    expect(deliveries.has(brief)).toBe(true);
    await desk.end(brief, 'vm', 'taken');
    await until(() => deliveries.size === 0, { what: 'nothing is on its way' });
    expect(await outbox.read(brief)).toEqual({ kind: 'none' });
    expect(notes).toEqual(['1 results of before wait to be taken']);
  });

  test.each([
    [31, [`${brief}: its result was never taken and is older than 30 days: it is removed`]],
    [29, ['1 results of before wait to be taken']],
  ])('that has waited for %i days is told as what it is', async (days, told) => {
    const { outbox, notes, deliveries, desk } = await ofRunner(redis());
    const at = new Date(systemClock.wallMs() - days * DAY_MS);
    await utimes(outbox.path(brief), at, at);
    await desk.open();
    await deliveries.begin();
    expect(notes).toEqual(told);
    expect((await outbox.read(brief)).kind).toBe(days > 30 ? 'none' : 'result');
  });
});
