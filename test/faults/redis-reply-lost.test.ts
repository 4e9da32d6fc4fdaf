/**
 * A reply that is lost says nothing about the write: it was made, or it was not, or it will be made later. Whichever it
 * was, the writer hears of one outcome, and the record holds the entry once.
 */

import { expect, test } from 'vitest';
import type { TeamRecord } from '../../src/events/record.js';
import { sha256 } from '../../src/shared/digest.js';
import { entryAt, ids, input, numbers, opened } from '../contracts/record-samples.js';
import { LoopbackProxy } from '../helpers/loopback-proxy.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { openRecordOn } from '../helpers/redis-record.js';
import { until } from '../helpers/until.js';

interface Scene {
  readonly proxy: LoopbackProxy;
  /** The record behind the line that breaks, with the entry 1. */
  readonly record: TeamRecord;
  /** The same team on a line of its own, as another process has it. */
  readonly rival: () => Promise<TeamRecord>;
}

async function scene(unreachableMs = 20_000): Promise<Scene> {
  const server = await privateRedis();
  const direct = redisAt(server.url);
  const proxy = await LoopbackProxy.start(server.socket);
  const connection = direct.connectBy(proxy.url);
  const { record } = await openRecordOn(direct, { mode: 'create', connection, unreachableMs });
  // The server knows both scripts from now on: the next call of each is the one that counts.
  await record.blobs.put('first');
  await record.log.append(entryAt(1));
  return { proxy, record, rival: async () => (await openRecordOn(direct, { mode: 'open' })).record };
}

describePrivateRedis('a reply is lost', () => {
  test('after the entry was written: it is appended, once', async () => {
    const { proxy, record, rival } = await scene();
    const lost = proxy.next('lose-reply');
    expect(await record.log.append(entryAt(2, 'once'))).toEqual({ kind: 'appended' });
    await lost;
    expect(await record.log.append(entryAt(3))).toEqual({ kind: 'appended' });
    expect(await (await rival()).log.read()).toEqual([entryAt(1), entryAt(2, 'once'), entryAt(3)]);
  });

  test('before the entry was written: it is appended, once', async () => {
    const { proxy, record, rival } = await scene();
    const lost = proxy.next('lose-command');
    expect(await record.log.append(entryAt(2, 'once'))).toEqual({ kind: 'appended' });
    await lost;
    expect(await (await rival()).log.read()).toEqual([entryAt(1), entryAt(2, 'once')]);
  });

  test('and the write arrives when it was sent again already: nothing is written twice, nothing is out of order', async () => {
    const { proxy, record, rival } = await scene();
    const lost = proxy.next('hold-command');
    expect(await record.log.append(entryAt(2, 'once'))).toEqual({ kind: 'appended' });
    await lost;
    expect(await proxy.release(), 'the newest entry').toContain('0-2');
    expect(await record.log.append(entryAt(3))).toEqual({ kind: 'appended' });
    expect(await (await rival()).log.read()).toEqual([entryAt(1), entryAt(2, 'once'), entryAt(3)]);
  });

  test('and the write arrives behind entries of others: it is refused by the server', async () => {
    const { proxy, record, rival } = await scene();
    const other = await rival();
    const lost = proxy.next('hold-command');
    proxy.line = 'down';
    const written = record.log.append(entryAt(2, 'late'));
    await lost;
    expect(await other.log.append(entryAt(2, 'first'))).toEqual({ kind: 'appended' });
    expect(await proxy.release(), 'the newest entry').toContain('0-2');
    proxy.line = 'up';
    expect(await written).toEqual({ kind: 'conflict', next: 3 });
    expect(await record.log.read(2)).toEqual([entryAt(2, 'first')]);
  });

  test('and others have written behind it since: it is found at its place', async () => {
    const { proxy, record, rival } = await scene();
    const other = await rival();
    const lost = proxy.next('lose-reply');
    proxy.line = 'down';
    const written = record.log.append(entryAt(2, 'mine'));
    await lost;
    expect(await other.log.read(2)).toEqual([entryAt(2, 'mine')]);
    expect(await other.log.append(entryAt(3, 'theirs'))).toEqual({ kind: 'appended' });
    proxy.line = 'up';
    expect(await written).toEqual({ kind: 'appended' });
    expect(await record.log.append(entryAt(3))).toEqual({ kind: 'conflict', next: 4 });
    expect(await record.log.read()).toEqual([entryAt(1), entryAt(2, 'mine'), entryAt(3, 'theirs')]);
    expect(await record.log.append(entryAt(4))).toEqual({ kind: 'appended' });
  });

  test('and a rival says the very same at that place: only one of them has said it', async () => {
    const { proxy, record, rival } = await scene();
    const other = await rival();
    const lost = proxy.next('lose-command');
    proxy.line = 'down';
    const written = record.log.append(entryAt(2, 'same words'));
    await lost;
    expect(await other.log.append(entryAt(2, 'same words'))).toEqual({ kind: 'appended' });
    proxy.line = 'up';
    expect(await written).toEqual({ kind: 'conflict', next: 3 });
  });

  test('of many entries that go together: all are appended, once', async () => {
    const { proxy, record, rival } = await scene();
    const lost = proxy.next('lose-reply');
    const many = Array.from({ length: 40 }, (_, place) => entryAt(place + 2));
    const outcomes = await Promise.all(many.map((entry) => record.log.append(entry)));
    await lost;
    expect(outcomes.every(({ kind }) => kind === 'appended')).toBe(true);
    expect(numbers(await (await rival()).log.read(2))).toEqual(numbers(many));
  });

  test.each(['lose-reply', 'lose-command', 'hold-command'] as const)(
    '%s of transcripts and texts: each is there once',
    async (fate) => {
      const { proxy, record, rival } = await scene();
      const bytes = record.bytes();
      const lost = proxy.next(fate);
      expect(await record.transcripts.append('writer', [opened(2), input(2, 1)])).toEqual({
        kind: 'appended',
      });
      await lost;
      if (fate === 'hold-command') expect(await proxy.release()).toContain('other');
      const again = proxy.next(fate);
      expect(await record.blobs.put('text')).toBe(sha256('text'));
      await again;
      if (fate === 'hold-command') await proxy.release();
      const added = record.bytes() - bytes;
      expect(await record.transcripts.append('writer', [input(2, 2)])).toEqual({ kind: 'appended' });
      const other = await rival();
      expect(ids(await other.transcripts.read('writer'))).toEqual(['2-0', '2-1', '2-2']);
      expect(await other.blobs.get(sha256('text'))).toBe('text');
      expect(other.bytes(), 'nothing is counted twice').toBe(record.bytes());
      expect(added).toBeGreaterThan(0);
    },
  );

  test('the same of a turn that was taken over meanwhile is fenced', async () => {
    const { proxy, record, rival } = await scene();
    const other = await rival();
    await record.transcripts.append('writer', [opened(2)]);
    const lost = proxy.next('lose-command');
    proxy.line = 'down';
    const written = record.transcripts.append('writer', [input(2, 1)]);
    await lost;
    await other.transcripts.append('writer', [opened(9)]);
    proxy.line = 'up';
    expect(await written).toEqual({ kind: 'fenced', newest: 9 });
  });
});

describePrivateRedis('a server stays away', () => {
  test('writing gives up by name after its deadline, and everything after it with the same error', async () => {
    const { proxy, record } = await scene(300);
    proxy.line = 'down';
    proxy.cut();
    const error: unknown = await record.log.append(entryAt(2)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'record-unreachable', name: 'FatalError' });
    await expect(record.log.append(entryAt(2))).rejects.toBe(error);
    await expect(record.transcripts.append('writer', [opened(2)])).rejects.toBe(error);
    await expect(record.blobs.put('late')).rejects.toBe(error);
  });

  test('closing does not wait for it until the deadline', async () => {
    const { proxy, record } = await scene(600_000);
    proxy.line = 'down';
    proxy.cut();
    const written = record.log.append(entryAt(2));
    const refused = expect(written).rejects.toMatchObject({ code: 'record-unreachable' });
    await record.close();
    await refused;
  });

  test('a connection that broke between two entries costs nothing', async () => {
    const { proxy, record } = await scene();
    for (let first = 2; first < 8; first++) {
      proxy.cut();
      expect(await record.log.append(entryAt(first))).toEqual({ kind: 'appended' });
    }
    await until(async () => (await record.log.read()).length === 7, { what: 'all are there' });
  });
});
