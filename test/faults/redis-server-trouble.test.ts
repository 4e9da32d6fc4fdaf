/** The server is there and will not, or is away for a while: what passes is waited for, what does not has a name. */

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { AppendOutcome, TeamRecord } from '../../src/events/record.js';
import { entryAt, ids, input, numbers, opened } from '../contracts/record-samples.js';
import { describePrivateRedis, privateRedis, redisAt, type TestRedis } from '../helpers/redis.js';
import { openRecordOn } from '../helpers/redis-record.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';

interface Scene {
  readonly server: RedisServer;
  readonly at: TestRedis;
  /** With the entry 1 and the turn 1 of the writer. */
  readonly record: TeamRecord;
  /** The operator's own line. */
  readonly operator: Redis;
}

async function scene(config: readonly string[] = [], unreachableMs = 30_000): Promise<Scene> {
  const server = await privateRedis({ config });
  const at = redisAt(server.url);
  const { record } = await openRecordOn(at, { mode: 'create', unreachableMs });
  await record.transcripts.append('writer', [opened(1)]);
  await record.log.append(entryAt(1));
  const { client: operator } = await openOperator(at);
  return { server, at, record, operator };
}

async function openOperator(at: TestRedis): Promise<{ readonly client: Redis }> {
  const connection = at.connect();
  await connection.ready(AbortSignal.timeout(20_000));
  return connection;
}

/** Whether it has its outcome by now. */
function watched(written: Promise<AppendOutcome>): { readonly done: () => boolean } {
  let done = false;
  const end = (): void => {
    done = true;
  };
  written.then(end, end);
  return { done: () => done };
}

describePrivateRedis('the memory of the server is full', () => {
  async function full(unreachableMs: number): Promise<Scene & { readonly room: () => Promise<unknown> }> {
    const at = await scene(['--maxmemory-policy', 'noeviction'], unreachableMs);
    await at.operator.config('SET', 'maxmemory', 1);
    return { ...at, room: () => at.operator.config('SET', 'maxmemory', 0) };
  }

  test('writing waits until there is room, reading goes on, and nothing is half written', async () => {
    const { at, record, room } = await full(60_000);
    const turn = record.transcripts.append('writer', [input(1, 1), input(1, 2)]);
    const entry = record.log.append(entryAt(2));
    const { done } = watched(entry);
    const other = await openRecordOn(at, { mode: 'open' });
    expect(numbers(await other.record.log.read())).toEqual([1]);
    expect(ids(await other.record.transcripts.read('writer'))).toEqual(['1-0']);
    expect(done()).toBe(false);
    await room();
    expect(await Promise.all([turn, entry])).toEqual([{ kind: 'appended' }, { kind: 'appended' }]);
    expect(numbers(await record.log.read())).toEqual([1, 2]);
  });

  test('and gives up by name when there never is; freed, the next record goes on', async () => {
    const { at, record, room } = await full(200);
    const [turn, entry] = await Promise.allSettled([
      record.transcripts.append('writer', [input(1, 1), input(1, 2)]),
      record.log.append(entryAt(2)),
    ]);
    const refused = { status: 'rejected', reason: { code: 'redis-full', name: 'FatalError' } };
    expect([turn, entry]).toMatchObject([refused, refused]);
    await room();
    await expect(record.log.append(entryAt(2))).rejects.toMatchObject({ code: 'redis-full' });
    const next = await openRecordOn(at, { mode: 'open' });
    expect(ids(await next.record.transcripts.read('writer'))).toEqual(['1-0']);
    expect(await next.record.transcripts.append('writer', [input(1, 1)])).toEqual({ kind: 'appended' });
    expect(await next.record.log.append(entryAt(2))).toEqual({ kind: 'appended' });
  });

  test('time runs out in the middle of a try: what it was tried again for is what is told', async () => {
    const server = await privateRedis({ config: ['--maxmemory-policy', 'noeviction'] });
    const at = redisAt(server.url);
    const heard: unknown[] = [];
    const onPassing = (error: unknown): void => {
      // From the first refusal on it says nothing more.
      if (heard.push(error) === 1) server.freeze();
    };
    const { record } = await openRecordOn(at, { mode: 'create', unreachableMs: 1_500, onPassing });
    const { client } = await openOperator(at);
    await client.config('SET', 'maxmemory', 1);
    try {
      await expect(record.log.append(entryAt(1))).rejects.toMatchObject({ code: 'redis-full' });
      expect(heard).toHaveLength(1);
    } finally {
      server.thaw();
      await client.config('SET', 'maxmemory', 0);
    }
  });
});

describePrivateRedis('the server cannot write its own disk', () => {
  /** A server that cannot put its snapshot in place, so that it refuses writes with MISCONF. */
  async function misconfigured(
    unreachableMs: number,
  ): Promise<Scene & { readonly mend: () => Promise<void> }> {
    const at = await scene(['--save', '3600 1'], unreachableMs);
    const inTheWay = join(at.server.folder, 'dump.rdb');
    await mkdir(join(inTheWay, 'full'), { recursive: true });
    const saved = async (status: string): Promise<void> => {
      await at.operator.bgsave();
      const words = `rdb_last_bgsave_status:${status}`;
      await until(async () => (await at.operator.info('persistence')).includes(words), { what: words });
    };
    await saved('err');
    await expect(at.operator.set(at.at.names.teams, 'x')).rejects.toThrow(/^MISCONF/);
    return {
      ...at,
      mend: async () => {
        await rm(inTheWay, { recursive: true });
        await saved('ok');
      },
    };
  }

  test('writing waits until it can', async () => {
    const { record, mend } = await misconfigured(60_000);
    const written = record.log.append(entryAt(2));
    await mend();
    expect(await written).toEqual({ kind: 'appended' });
    expect(numbers(await record.log.read())).toEqual([1, 2]);
  });

  test('and gives up by name when it never can', async () => {
    const { record, mend } = await misconfigured(200);
    await expect(record.log.append(entryAt(2))).rejects.toMatchObject({
      code: 'redis-misconf',
      name: 'FatalError',
    });
    expect(numbers(await record.log.read())).toEqual([1]);
    await mend();
  });
});

describePrivateRedis('the server passes through a state in which it takes no writes', () => {
  test('it has become a replica, and is made a primary again', async () => {
    const { record, operator } = await scene(['--replica-read-only', 'yes']);
    await operator.replicaof('127.0.0.1', 1);
    const written = record.log.append(entryAt(2));
    const { done } = watched(written);
    await until(
      async () => /rejected_calls=[1-9]|failed_calls=[1-9]/.test(await operator.info('commandstats')),
      {
        what: 'it was refused',
      },
    );
    expect(done()).toBe(false);
    await operator.replicaof('NO', 'ONE');
    expect(await written).toEqual({ kind: 'appended' });
  });

  test('it waits for replicas that are not there', async () => {
    const { record, operator } = await scene();
    await operator.config('SET', 'min-replicas-to-write', 1);
    const written = record.log.append(entryAt(2));
    const { done } = watched(written);
    await until(async () => /errorstat_NOREPLICAS/.test(await operator.info('errorstats')), {
      what: 'it was refused',
    });
    expect(done()).toBe(false);
    await operator.config('SET', 'min-replicas-to-write', 0);
    expect(await written).toEqual({ kind: 'appended' });
  });

  test('it is paused: everything waits, and nothing is done twice', async () => {
    const { at, record, operator } = await scene();
    await operator.call('CLIENT', 'PAUSE', '1500', 'WRITE');
    const many = Array.from({ length: 30 }, (_, place) => entryAt(place + 2));
    const outcomes = await Promise.all(many.map((entry) => record.log.append(entry)));
    expect(outcomes.every(({ kind }) => kind === 'appended')).toBe(true);
    const other = await openRecordOn(at, { mode: 'open' });
    expect(numbers(await other.record.log.read(2))).toEqual(numbers(many));
  });

  test.each([
    ['the signal of its owner', (owner: AbortController): void => owner.abort()],
    ['closing', (_: AbortController, record: TeamRecord): Promise<void> => record.close()],
  ])('it has stopped in the middle of a write: %s ends the wait', async (_, end) => {
    const server = await privateRedis();
    const at = redisAt(server.url);
    const owner = new AbortController();
    const { record } = await openRecordOn(at, { mode: 'create', signal: owner.signal, closeMs: 50 });
    await record.log.append(entryAt(1));
    server.freeze();
    const refused = { code: 'record-unreachable', name: 'FatalError' };
    const ended = Promise.all([
      expect(record.log.append(entryAt(2))).rejects.toMatchObject(refused),
      expect(record.transcripts.append('writer', [opened(1)])).rejects.toMatchObject(refused),
    ]);
    await end(owner, record);
    await ended;
    server.thaw();
  });

  test('it says nothing for longer than a line may be silent: it is asked on a new one', async () => {
    const server = await privateRedis();
    const at = redisAt(server.url);
    const connection = at.connect('record', { silenceMs: 200 });
    const { record } = await openRecordOn(at, { mode: 'create', connection });
    await record.log.append(entryAt(1));
    let closed = 0;
    connection.client.on('close', () => {
      closed += 1;
    });
    server.freeze();
    const written = record.log.append(entryAt(2));
    await until(() => closed > 0, { what: 'the silent line was given up' });
    server.thaw();
    expect(await written).toEqual({ kind: 'appended' });
    expect(numbers(await record.log.read())).toEqual([1, 2]);
  });
});

describePrivateRedis('the server is killed, and started again with its append-only file', () => {
  const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, place) => place + 1);

  test('synced always: all that was acknowledged is there, and the writer goes on in the middle of it', async () => {
    const { server, record } = await scene(['--appendonly', 'yes', '--appendfsync', 'always'], 60_000);
    let acknowledged = 1;
    const restarted = async (): Promise<number> => {
      await server.kill();
      await server.start();
      return acknowledged;
    };
    let killed: Promise<number> | undefined;
    for (let first = 2; first <= 200; first++) {
      if (first === 100) killed = restarted();
      expect(await record.log.append(entryAt(first))).toEqual({ kind: 'appended' });
      acknowledged = first;
    }
    expect(await killed).toBeLessThan(200);
    expect(numbers(await record.log.read())).toEqual(upTo(200));
  });

  test('synced every second: all that the server had handed to its system is there', async () => {
    const { server, record, operator } = await scene(
      ['--appendonly', 'yes', '--appendfsync', 'everysec'],
      60_000,
    );
    for (let first = 2; first <= 100; first++) await record.log.append(entryAt(first));
    // While a sync is slow the server keeps what it has acknowledged for up to two seconds in its own memory.
    await until(async () => (await operator.info('persistence')).includes('aof_buffer_length:0'), {
      what: 'nothing is in its buffer',
    });
    await server.kill();
    await server.start();
    expect(await record.log.append(entryAt(101))).toEqual({ kind: 'appended' });
    expect(numbers(await record.log.read())).toEqual(upTo(101));
  });
});
