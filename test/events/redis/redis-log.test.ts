import { expect, test } from 'vitest';
import type { LogEntry } from '../../../src/events/log-entry.js';
import type { TeamRecord } from '../../../src/events/record.js';
import { LOG_START, seal } from '../../../src/events/redis/log-stream.js';
import { openRedisRecord } from '../../../src/events/redis/redis-record.js';
import { entryAt, input, numbers, opened } from '../../contracts/record-samples.js';
import { describeRedis, redisForTests, type TestRedis } from '../../helpers/redis.js';
import { openRecordOn, TEAM } from '../../helpers/redis-record.js';
import { until } from '../../helpers/until.js';

const APPENDED = { kind: 'appended' };

/** Two processes with the same team, whose log has the entry 1. */
async function rivals(at: TestRedis): Promise<{ readonly one: TeamRecord; readonly other: TeamRecord }> {
  const { record: one } = await openRecordOn(at, { mode: 'create' });
  expect(await one.log.append(entryAt(1))).toEqual(APPENDED);
  const { record: other } = await openRecordOn(at, { mode: 'open' });
  return { one, other };
}

/** Puts an entry into the stream as somebody would who is no writer of ours. */
async function plant(
  at: TestRedis,
  entry: unknown,
  change: (field: string) => string = (field) => field,
): Promise<void> {
  const connection = at.connect();
  await connection.ready(AbortSignal.timeout(20_000));
  const { head, fields } = seal(TEAM, 'w', LOG_START, {
    lines: [JSON.stringify(entry)],
    next: 2,
  });
  await connection.client.xadd(at.names.log(TEAM), head.id, ...fields.map(change));
}

describeRedis('the log on Redis', () => {
  const redis = redisForTests();

  test('L1 what is appended in one pass is one entry of the stream, up to 256 of the log or 1 MiB', async () => {
    const at = redis();
    const { record, connection } = await openRecordOn(at, { mode: 'create' });
    const length = (): Promise<number> => connection.client.xlen(at.names.log(TEAM));
    await Promise.all(Array.from({ length: 50 }, (_, place) => record.log.append(entryAt(place + 1))));
    expect(await length()).toBe(1);
    await Promise.all(Array.from({ length: 300 }, (_, place) => record.log.append(entryAt(place + 51))));
    expect(await length()).toBe(3);
    const long = 'x'.repeat(400_000);
    await Promise.all(Array.from({ length: 5 }, (_, place) => record.log.append(entryAt(place + 351, long))));
    expect(await length()).toBe(6);
    expect(numbers(await record.log.read())).toEqual(Array.from({ length: 355 }, (_, place) => place + 1));
  });

  test('L1 one that is larger than the bound goes alone', async () => {
    const { record } = await openRecordOn(redis(), { mode: 'create' });
    const entry = entryAt(1, 'x'.repeat(3 * 1024 * 1024));
    expect(await Promise.all([record.log.append(entry), record.log.append(entryAt(2))])).toEqual([
      APPENDED,
      APPENDED,
    ]);
    expect(await record.log.read()).toEqual([entry, entryAt(2)]);
  });

  test('R3 an entry is sent right behind the transcript that it must not come before, in one write of two commands', async () => {
    const at = redis();
    const { record, connection } = await openRecordOn(at, { mode: 'create' });
    // From here on the server knows both scripts.
    expect(await record.transcripts.append('lead', [opened(1)])).toEqual(APPENDED);
    expect(await record.log.append(entryAt(1))).toEqual(APPENDED);
    const monitor = await connection.client.monitor();
    const seen: string[] = [];
    const log = at.names.log(TEAM);
    monitor.on('monitor', (_time, [name, , , key, ...more]: string[]) => {
      if (name === 'evalsha' && key === log)
        seen.push(more[0] === at.names.sizes(TEAM) ? 'transcript' : 'log');
    });
    const both = [record.transcripts.append('lead', [input(1, 1)]), record.log.append(entryAt(2))];
    expect(await Promise.all(both)).toEqual([APPENDED, APPENDED]);
    await until(() => seen.length >= 2, { what: 'the server has told of both' });
    expect(seen.slice(0, 2)).toEqual(['transcript', 'log']);
    monitor.disconnect();
  });

  test('R3 where what comes before it does not stand, it is refused, and appended once that stands', async () => {
    const at = redis();
    const { record } = await openRecordOn(at, { mode: 'create' });
    const { record: other, connection } = await openRecordOn(at, { mode: 'create' });
    expect(await record.transcripts.append('lead', [opened(1)])).toEqual(APPENDED);
    expect(await other.transcripts.append('lead', [opened(2)])).toEqual(APPENDED);
    // The stream is longer than this process knows: its own write is refused at first, and what comes behind that as well.
    const both = [record.transcripts.append('lead', [opened(3)]), record.log.append(entryAt(1))];
    expect(await Promise.all(both)).toEqual([APPENDED, APPENDED]);
    expect(await record.transcripts.read('lead')).toEqual([opened(1), opened(2), opened(3)]);
    expect(await connection.client.xlen(at.names.log(TEAM))).toBe(1);
  });

  test('L2 an entry of another process is a conflict for all that ran ahead, also for a number that fits by accident', async () => {
    const { one, other } = await rivals(redis());
    expect(await other.log.append(entryAt(2, 'a', 'b'))).toEqual(APPENDED);
    const ahead = [entryAt(2), entryAt(3)].map((entry) => one.log.append(entry));
    expect(await Promise.all(ahead)).toEqual([
      { kind: 'conflict', next: 4 },
      { kind: 'conflict', next: 4 },
    ]);
    // Decided on a state that never was; that the next number is 4 says nothing.
    expect(await one.log.append(entryAt(4, 'by accident'))).toEqual({ kind: 'conflict', next: 4 });
    expect(await one.log.read(2)).toEqual([entryAt(2, 'a', 'b')]);
    expect(await one.log.append(entryAt(4))).toEqual(APPENDED);
    expect(numbers(await other.log.read())).toEqual([1, 2, 4]);
  });

  test('L2 a reading that was under way before the loss does not end it', async () => {
    const { one, other } = await rivals(redis());
    await other.log.append(entryAt(2));
    const reading = one.log.read(2);
    const ahead = one.log.append(entryAt(2, 'ahead'));
    expect(await reading).toEqual([entryAt(2)]);
    expect(await ahead).toEqual({ kind: 'conflict', next: 3 });
    expect(await one.log.append(entryAt(3))).toEqual({ kind: 'conflict', next: 3 });
    await one.log.read(3);
    expect(await one.log.append(entryAt(3))).toEqual(APPENDED);
  });

  test('what others wrote is read on from what is known, and then there is no conflict', async () => {
    const { one, other } = await rivals(redis());
    const theirs = await Promise.all([2, 3, 4].map((first) => other.log.append(entryAt(first))));
    expect(theirs).toEqual([APPENDED, APPENDED, APPENDED]);
    expect(numbers(await one.log.read(2))).toEqual([2, 3, 4]);
    expect(numbers(await one.log.read(4)), 'in the middle of what went together').toEqual([4]);
    expect(await one.log.append(entryAt(5))).toEqual(APPENDED);
    expect(numbers(await other.log.read(5))).toEqual([5]);
  });

  test('two that create one team at once: one does, the other reads what it wrote', async () => {
    const at = redis();
    const both = await Promise.all([
      openRecordOn(at, { mode: 'create' }),
      openRecordOn(at, { mode: 'create' }),
    ]);
    const outcomes = await Promise.all(
      both.map(({ record }, who) => record.log.append(entryAt(1, `by ${who}`))),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['appended', 'conflict']);
    const logs = await Promise.all(both.map(({ record }) => record.log.read()));
    expect(logs[0]).toEqual(logs[1]);
  });

  test('every append says what time it is on the server', async () => {
    const at = redis();
    const { record, connection, clock } = await openRecordOn(at, { mode: 'create' });
    clock.heard(0);
    await record.log.append(entryAt(1));
    const [seconds] = await connection.client.time();
    expect(clock.wallMs()).toBeGreaterThan((Number(seconds) - 60) * 1000);
    expect(clock.wallMs()).toBeLessThan((Number(seconds) + 60) * 1000);
  });
});

describeRedis('opening a record on Redis', () => {
  const redis = redisForTests();

  test('a team that is there is not created, one that is not there is not opened', async () => {
    const at = redis();
    await expect(openRecordOn(at, { mode: 'open' })).rejects.toMatchObject({
      code: 'no-team',
      name: 'UserError',
    });
    await rivals(at);
    await expect(openRecordOn(at, { mode: 'create' })).rejects.toMatchObject({
      code: 'team-exists',
      name: 'UserError',
    });
  });

  test('closing one record leaves the connection to the others', async () => {
    const at = redis();
    const { record, connection, clock } = await openRecordOn(at, { mode: 'create' });
    const second = await openRedisRecord({
      connection,
      clock,
      names: at.names,
      team: 'run-test-2',
      mode: 'create',
    });
    await record.close();
    expect(await second.log.append(entryAt(1))).toEqual(APPENDED);
    await second.close();
  });

  const tooNew: LogEntry = { ...entryAt(1), v: 99 };
  test.each([
    ['an entry of a newer program', tooNew, undefined, 'record-too-new'],
    [
      'an entry that was changed',
      entryAt(1),
      (field: string) => field.replace('fact 1', 'fact 2'),
      'log-broken',
    ],
    ['an entry without facts', { ...entryAt(1), facts: [] }, undefined, 'log-broken'],
  ])('%s is refused, and nothing is changed', async (_, entry, change, code) => {
    const at = redis();
    await plant(at, entry, change);
    await expect(openRecordOn(at, { mode: 'open' })).rejects.toMatchObject({ code, name: 'FatalError' });
    await expect(openRecordOn(at, { mode: 'open' })).rejects.toThrow(at.names.log(TEAM));
    expect(await at.keys()).toEqual([at.names.log(TEAM)]);
  });
});
