// What a team and the runners of its briefs put down for each other, and what is left of it behind the end of a brief.
import { expect, onTestFinished, test } from 'vitest';
import { BriefPost } from '../../src/dispatch/brief-post.js';
import { LeaseKeeper } from '../../src/dispatch/lease-keeper.js';
import { RunnerPost } from '../../src/dispatch/runner-post.js';
import { systemClock } from '../../src/shared/clock.js';
import { describeRedis, redisForTests, type TestRedis } from '../helpers/redis.js';

const OF = { team: 'one', brief: 'one.t1.a1.o1' };

interface Sides {
  readonly desk: BriefPost;
  /** Of two runners. */
  readonly mine: RunnerPost;
  readonly other: RunnerPost;
  /** What is put down for the brief now. */
  up(): Promise<Record<string, string>>;
}

async function sides(redis: TestRedis): Promise<Sides> {
  const connection = redis.connect('record');
  await connection.ready(AbortSignal.timeout(10_000));
  const { client } = connection;
  const timing = { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 };
  const keeper = new LeaseKeeper({ client, clock: systemClock, timing, onTrouble: () => {} });
  onTestFinished(() => keeper.close());
  const { names } = redis;
  const runner = (id: string): RunnerPost =>
    new RunnerPost({ client, names, clock: systemClock, keeper }, id);
  const desk = new BriefPost({ client, names }, OF.team);
  await desk.open();
  await desk.put(OF.brief, 'the brief');
  await desk.tell(OF.brief, { keys: 'of the team' });
  const up = () => client.hgetall(names.up(OF.team, OF.brief));
  return { desk, mine: runner('mine'), other: runner('other'), up };
}

describeRedis('the post of briefs', () => {
  const redis = redisForTests();

  test.each(['taken', 'kept'] as const)(
    'of a brief that has ended %s nothing is left when its runner has heard it',
    async (word) => {
      const at = redis();
      const { desk, mine, up } = await sides(at);
      const taken = await mine.take(OF);
      if (taken.kind !== 'taken') throw new Error('another has it');
      expect(await mine.bring(OF, 'the result', Buffer.from('its bundle'))).toBe('brought');
      taken.lease.drop();
      await desk.end(OF.brief, 'mine', word);
      expect(await mine.told(OF)).toMatchObject({ end: word });
      expect(await up()).toEqual({ end: `${word} mine` });
      await mine.forget(OF, word);
      expect(await at.keys()).toEqual([at.names.inbox(OF.team)]);
    },
  );

  test('a runner that was turned away puts its word away, and nothing of whose the brief is', async () => {
    const { desk, mine, other, up } = await sides(redis());
    await mine.bring(OF, 'the result', null);
    await desk.turnAway(OF.brief, 'mine');
    expect(await mine.told(OF)).toMatchObject({ end: 'kept' });
    expect(await other.told(OF)).toMatchObject({ end: null });
    await mine.forget(OF, 'kept');
    expect(await up()).toEqual({ keys: 'of the team' });
  });

  test('the word for another stays, whoever comes late to put its own away', async () => {
    const { desk, mine, other, up } = await sides(redis());
    await desk.turnAway(OF.brief, 'mine');
    await desk.end(OF.brief, 'other', 'taken');
    await mine.forget(OF, 'kept');
    await other.forget(OF, 'kept');
    expect(await up()).toEqual({ end: 'taken other' });
  });
});
