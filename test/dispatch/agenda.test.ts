import { expect, test } from 'vitest';
import { Agenda } from '../../src/dispatch/agenda.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

describeRedis('the agenda', () => {
  const redis = redisForTests();

  async function agenda(at = redis()): Promise<Agenda> {
    const connection = at.connect('record');
    await connection.ready(AbortSignal.timeout(10_000));
    return new Agenda({ client: connection.client, names: at.names });
  }

  test('teams are due when their time has come, the longest overdue first', async () => {
    const teams = await agenda();
    expect([await teams.due(10), await teams.nextWithin()]).toEqual([[], undefined]);
    await teams.add('later', 3_600_000);
    expect(await teams.nextWithin()).toBeGreaterThan(3_590_000);
    await teams.add('second', -10);
    await teams.add('first', -1_000);
    await teams.add('third', 0);
    expect(await teams.due(2)).toEqual(['first', 'second']);
    expect([await teams.due(9), await teams.nextWithin()]).toEqual([['first', 'second', 'third'], 0]);
    for (const team of ['first', 'second', 'third']) await teams.remove(team);
    expect(await teams.due(9)).toEqual([]);
  });

  test('a team that was taken off is not brought back by who looks at it a last time', async () => {
    const teams = await agenda();
    await teams.add('one', 0);
    await teams.remove('one');
    await teams.lookAfter('one', 0);
    await teams.lookWithin('one', 0);
    await teams.lookNever('one');
    expect([await teams.due(9), await teams.nextWithin()]).toEqual([[], undefined]);
  });

  test('a team that has ended, and one that is not there, rest', async () => {
    const teams = await agenda();
    await teams.add('runs', 0);
    await teams.add('ended', 0);
    await teams.lookNever('ended');
    expect(await teams.resting(['runs', 'ended', 'gone'])).toEqual(new Set(['ended', 'gone']));
    expect(await teams.resting([])).toEqual(new Set());
  });

  test('a team that somebody wants to look at sooner is looked at sooner, and not later for another’s sake', async () => {
    const teams = await agenda();
    await teams.add('one', 3_600_000);
    await teams.lookWithin('one', 0);
    await teams.lookWithin('one', 7_200_000);
    expect(await teams.due(9)).toEqual(['one']);
    await teams.lookAfter('one', 3_600_000);
    expect(await teams.due(9)).toEqual([]);
  });

  test('the sweep of a team and interval is one process’s, and the next interval is free again', async () => {
    const at = redis();
    const all = await Promise.all([agenda(at), agenda(at), agenda(at)]);
    const claims = await Promise.all(all.map((one) => one.claimSweep('run-x', 300)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await all[0]?.claimSweep('run-y', 300)).toBe(true);
    await until(() => all[1]?.claimSweep('run-x', 300) ?? false, { what: 'the interval has passed' });
  });
});
