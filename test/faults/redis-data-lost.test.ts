/** The server loses what it acknowledged: all of it, one team, or its end. The writer says what is missing, and writes nothing. */

import { expect, test } from 'vitest';
import type { TeamRecord } from '../../src/events/record.js';
import { mirrorLine, mirrorStart, openMirror } from '../../src/events/redis/mirror-lines.js';
import { reseed } from '../../src/events/redis/reseed.js';
import { entryAt, ids, input, numbers, opened } from '../contracts/record-samples.js';
import { LoopbackProxy } from '../helpers/loopback-proxy.js';
import {
  describePrivateRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../helpers/redis.js';
import { openRecordOn } from '../helpers/redis-record.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';

const GONE = { code: 'log-gone', name: 'FatalError' };

async function withThreeEntries(redis: TestRedis): Promise<TeamRecord> {
  const { record } = await openRecordOn(redis, { mode: 'create' });
  await record.blobs.put('text');
  for (let first = 1; first <= 3; first++) await record.log.append(entryAt(first));
  await record.transcripts.append('writer', [opened(1)]);
  return record;
}

/** Each way in which a live writer may meet it first. */
const WRITES: readonly (readonly [what: string, write: (record: TeamRecord) => Promise<unknown>])[] = [
  ['an entry', ({ log }) => log.append(entryAt(4))],
  ['a transcript', ({ transcripts }) => transcripts.append('writer', [input(1, 1)])],
  ['the transcript of another member', ({ transcripts }) => transcripts.append('lead', [opened(2, 'lead')])],
  ['a text', ({ blobs }) => blobs.put('another text')],
  ['a reading', ({ log }) => log.read(4)],
];

describePrivateRedis('a team is removed under a live writer', () => {
  const redis = redisForTests();

  test.each(WRITES)('%s is refused, and makes nothing anew', async (_, write) => {
    const at = redis();
    const record = await withThreeEntries(at);
    const { client } = at.connect();
    await until(() => client.ping().catch(() => undefined), { what: 'the operator is connected' });
    await client.del(...(await at.keys()));
    await expect(write(record)).rejects.toMatchObject(GONE);
    for (const [, late] of WRITES) await expect(late(record)).rejects.toMatchObject(GONE);
    await record.close();
    expect(await at.keys()).toEqual([]);
  });

  test('a record that has not begun may write what its first entry names', async () => {
    const at = redis();
    const { record } = await openRecordOn(at, { mode: 'create' });
    await record.blobs.put('text');
    expect(await record.log.append(entryAt(1))).toEqual({ kind: 'appended' });
  });
});

describePrivateRedis('a record is put back under a live writer', () => {
  const redis = redisForTests();

  test.each(WRITES)(
    '%s of who had opened it before is refused: it may follow on what is lost',
    async (what, write) => {
      const at = redis();
      const record = await withThreeEntries(at);
      const { client } = at.connect();
      await until(() => client.ping().catch(() => undefined), { what: 'the operator is connected' });
      let digest = mirrorStart('run-test-1');
      const lines = (await client.xrange(at.names.log('run-test-1'), '-', '+')).map(([id, fields]) => {
        const next = mirrorLine(digest, { kind: 'log', entry: [id, fields] });
        digest = next.digest;
        return next.line;
      });
      const mirror = openMirror('run-test-1', Buffer.from(lines.join('')), 'mirror');
      await client.del(...(await at.keys()));
      expect(await reseed(client, at.names, 'run-test-1', mirror)).toEqual({ entries: 3, aside: [] });
      const written = write(record);
      if (what === 'an entry') expect(await written).toEqual({ kind: 'conflict', next: 4 });
      else await expect(written).rejects.toMatchObject({ code: 'log-lost' });
      await expect(record.log.read(4)).rejects.toMatchObject({ name: 'FatalError' });
      const { record: anew } = await openRecordOn(at, { mode: 'open' });
      expect(numbers(await anew.log.read())).toEqual([1, 2, 3]);
      await anew.blobs.put('another text');
      await anew.transcripts.append('lead', [opened(2, 'lead')]);
      expect(await anew.log.append(entryAt(4))).toEqual({ kind: 'appended' });
      expect(numbers(await anew.log.read())).toEqual([1, 2, 3, 4]);
    },
  );
});

describePrivateRedis('a server loses all its data', () => {
  test.each([
    [
      'FLUSHALL',
      async ({ connect }: TestRedis): Promise<void> => {
        const connection = connect();
        await connection.ready(AbortSignal.timeout(20_000));
        await connection.client.flushall();
      },
    ],
    [
      'a restart without a disk',
      async (_: TestRedis, server: RedisServer): Promise<void> => {
        await server.kill();
        await server.start();
      },
    ],
  ])('by %s: log-gone, and nothing is made anew', async (_, lose) => {
    const server = await privateRedis();
    const at = redisAt(server.url);
    const record = await withThreeEntries(at);
    await lose(at, server);
    for (const [, write] of WRITES) await expect(write(record)).rejects.toMatchObject(GONE);
    expect(await at.keys()).toEqual([]);
  });
});

interface FailOver {
  /** The writer, on a line that leads to the primary until `failOver`. */
  readonly record: TeamRecord;
  /** Cuts the line between primary and replica: what is written from now on is only on the primary. */
  readonly fallBehind: () => void;
  /** Kills the primary and promotes the replica; gives the team as another process has it there. */
  readonly failOver: () => Promise<{ readonly rival: TeamRecord; readonly at: TestRedis }>;
}

/** A primary with the entries 1 to 3 and the turn 1 of the writer, and a replica that has them as well. */
async function primaryWithReplica(): Promise<FailOver> {
  const primary = await privateRedis({ config: ['--repl-diskless-sync-delay', '0'] });
  const replica = await privateRedis();
  const at = redisAt(replica.url);
  const line = await LoopbackProxy.start(primary.socket);
  const replication = await LoopbackProxy.start(primary.socket);
  const control = at.connect();
  await control.ready(AbortSignal.timeout(20_000));
  const { client } = control;
  await client.replicaof('127.0.0.1', replication.port);
  const connection = at.connectBy(line.url);
  const { record } = await openRecordOn(at, { mode: 'create', connection });
  await record.transcripts.append('writer', [opened(1)]);
  for (let first = 1; first <= 3; first++) await record.log.append(entryAt(first));
  const { log } = at.names;
  await until(async () => (await client.xlen(log('run-test-1'))) === 3, {
    what: 'the replica has them',
    ms: 30_000,
  });
  return {
    record,
    fallBehind: () => {
      replication.line = 'down';
      replication.cut();
    },
    failOver: async () => {
      await primary.kill();
      await client.replicaof('NO', 'ONE');
      line.target = replica.socket;
      line.cut();
      const { record: rival } = await openRecordOn(at, { mode: 'open' });
      return { rival, at };
    },
  };
}

describePrivateRedis('a replica that was behind is promoted', () => {
  test('the end of the log is missing: an append is a conflict, and reading says which facts are lost', async () => {
    const { record, fallBehind, failOver } = await primaryWithReplica();
    fallBehind();
    for (let first = 4; first <= 6; first++) {
      expect(await record.log.append(entryAt(first))).toEqual({ kind: 'appended' });
    }
    const { rival } = await failOver();
    expect(await record.log.append(entryAt(7))).toEqual({ kind: 'conflict', next: 4 });
    const lost = record.log.read(7);
    await expect(lost).rejects.toMatchObject({ code: 'log-lost', name: 'FatalError' });
    await expect(lost).rejects.toThrow(
      'ends with fact 3, and this process has seen it up to 6: facts 4 to 6 are missing',
    );
    await expect(record.log.append(entryAt(7))).rejects.toMatchObject({ code: 'log-lost' });
    expect(numbers(await rival.log.read())).toEqual([1, 2, 3]);
  });

  test('others have gone on from there under the same numbers: the digest tells, nothing forks', async () => {
    const { record, fallBehind, failOver } = await primaryWithReplica();
    fallBehind();
    for (let first = 4; first <= 6; first++) await record.log.append(entryAt(first));
    const { rival } = await failOver();
    for (let first = 4; first <= 6; first++) {
      expect(await rival.log.append(entryAt(first, `theirs ${first}`))).toEqual({ kind: 'appended' });
    }
    // The number fits: ids alone would take it.
    expect(await record.log.append(entryAt(7, 'fork'))).toEqual({ kind: 'conflict', next: 7 });
    const lost = record.log.read(7);
    await expect(lost).rejects.toMatchObject({ code: 'log-lost' });
    await expect(lost).rejects.toThrow(
      'holds other facts than this process has seen: those of entry 0-6, up to 6',
    );
    expect(await rival.log.append(entryAt(7, 'theirs 7'))).toEqual({ kind: 'appended' });
    expect((await rival.log.read(4)).flatMap(({ facts }) => facts)).toEqual(
      [4, 5, 6, 7].flatMap((first) => entryAt(first, `theirs ${first}`).facts),
    );
  });

  test.each([
    ['a transcript', ({ transcripts }: TeamRecord) => transcripts.append('writer', [input(1, 1)])],
    ['a turn', ({ transcripts }: TeamRecord) => transcripts.append('writer', [opened(4)])],
    ['a text', ({ blobs }: TeamRecord) => blobs.put('another text')],
  ])(
    '%s is not written behind what is left, whether others have gone on from there or not',
    async (_, write) => {
      const { record, fallBehind, failOver } = await primaryWithReplica();
      fallBehind();
      await record.log.append(entryAt(4));
      const { rival, at } = await failOver();
      const before = await at.keys();
      await expect(write(record)).rejects.toMatchObject({ code: 'log-lost' });
      expect(ids(await rival.transcripts.read('writer'))).toEqual(['1-0']);
      await rival.log.append(entryAt(4, 'theirs'));
      await expect(write(record)).rejects.toMatchObject({ code: 'log-lost' });
      expect(ids(await rival.transcripts.read('writer'))).toEqual(['1-0']);
      expect(await at.keys()).toEqual(before);
    },
  );

  test('the end of a transcript alone is missing: nothing is written behind the gap', async () => {
    const { record, fallBehind, failOver } = await primaryWithReplica();
    fallBehind();
    await record.transcripts.append('writer', [input(1, 1)]);
    const { rival } = await failOver();
    const late = record.transcripts.append('writer', [input(1, 2)]);
    await expect(late).rejects.toMatchObject({ code: 'transcript-lost', name: 'FatalError' });
    await expect(late).rejects.toThrow('ends with 1-0, and this process has seen it up to 1-1');
    await expect(record.log.append(entryAt(4))).rejects.toMatchObject({ code: 'transcript-lost' });
    expect(ids(await rival.transcripts.read('writer'))).toEqual(['1-0']);
    expect(await rival.transcripts.append('writer', [input(1, 1)])).toEqual({ kind: 'appended' });
  });

  test('nothing was lost: the writer goes on, and does not notice', async () => {
    const { record, failOver } = await primaryWithReplica();
    const { rival } = await failOver();
    expect(await record.log.append(entryAt(4))).toEqual({ kind: 'appended' });
    expect(numbers(await rival.log.read())).toEqual([1, 2, 3, 4]);
  });
});
