/** A snapshot on Redis is begun with where it fits, and where it does not it is as if there were none. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import type { TeamRecord } from '../../src/events/record.js';
import type { RedisConnection } from '../../src/events/redis/connection.js';
import type { SnapshotSeal } from '../../src/events/redis/redis-snapshots.js';
import { removeTeamKeys } from '../../src/events/redis/remove-team.js';
import { snapshotSeal } from '../../src/runtime/key-ring.js';
import { systemClock } from '../../src/shared/clock.js';
import { signed } from '../../src/shared/signature.js';
import { fold, TeamStore } from '../../src/state/team-store.js';
import { started } from '../helpers/build-state.js';
import { describeRedis, redisForTests, type TestRedis } from '../helpers/redis.js';
import { openRecordOn, TEAM } from '../helpers/redis-record.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

interface Opened {
  readonly record: TeamRecord;
  readonly store: TeamStore;
  readonly connection: RedisConnection;
}

/** Opens the team as a process with this code would; one that folds five facts keeps a snapshot. */
async function open(
  at: TestRedis,
  code = 'v1',
  mode: 'create' | 'open' = 'open',
  seal?: SnapshotSeal,
): Promise<Opened> {
  const snapshots = { code, afterFacts: 5, ...(seal === undefined ? {} : { seal }) };
  const { record, connection, clock } = await openRecordOn(at, { mode, snapshots });
  return { record, connection, store: await TeamStore.open(record.log, clock) };
}

/** So many messages of the operator. */
async function write(store: TeamStore, from: number, count: number): Promise<void> {
  const by = { kind: 'operator', name: 'op' } as const;
  for (let n = from; n < from + count; n++) {
    const body = `message ${n}`;
    await store.send(`mail/${n}`, { kind: 'mail.send', by, to: 'lead', body, task: null });
  }
}

/** A team of some messages, with a snapshot of all of them, and two messages more. */
async function kept(at: TestRedis, seal?: SnapshotSeal): Promise<Opened> {
  const first = await open(at, 'v1', 'create', seal);
  await first.store.send('start', { kind: 'run.start', started: started(), tasks: [], entries: [] });
  await write(first.store, 0, 6);
  const { connection } = await open(at, 'v1', 'open', seal);
  const there = async (): Promise<boolean> => (await connection.client.exists(at.names.snapshot(TEAM))) === 1;
  await until(there, { what: 'a snapshot is kept' });
  await write(first.store, 6, 2);
  return first;
}

/** What the log itself says, whoever keeps what beside it. */
async function folded({ record }: Opened): Promise<unknown> {
  return fold(await record.log.read());
}

describeRedis('a snapshot on Redis', () => {
  const redis = redisForTests();

  test('is begun with: only what came later is read, and the state and the log are the same', async () => {
    const at = redis();
    const first = await kept(at);
    const next = await open(at);
    expect(next.record.log.snapshots?.found?.next).toBe(first.store.state.next - 2);
    expect(next.store.state).toEqual(await folded(first));
    expect(next.store.walls).toEqual(first.store.walls);
    expect(next.record.bytes()).toBe(first.record.bytes());
    expect(await next.record.log.read()).toEqual(await first.record.log.read());
    await write(next.store, 8, 1);
    await first.store.catchUp();
    expect(first.store.state).toEqual(next.store.state);
    expect(await folded(next)).toEqual(first.store.state);
  });

  test.each<readonly [string, (at: TestRedis, kept: Opened) => Promise<unknown>]>([
    [
      'whose text was changed',
      async (at, { connection: { client } }) => {
        const text = await client.hgetBuffer(at.names.snapshot(TEAM), 'text');
        text?.writeUInt8((text.at(-1) ?? 0) ^ 1, text.length - 1);
        await client.hset(at.names.snapshot(TEAM), 'text', text ?? '');
      },
    ],
    [
      'whose label was changed',
      async (at, { connection: { client } }) => {
        const label = await client.hget(at.names.snapshot(TEAM), 'label');
        await client.hset(
          at.names.snapshot(TEAM),
          'label',
          (label ?? '').replace(/"bytes":\d+/, '"bytes":7'),
        );
      },
    ],
    [
      'whose label is none',
      (at, { connection }) => connection.client.hset(at.names.snapshot(TEAM), 'label', '{}'),
    ],
    ['without its text', (at, { connection }) => connection.client.hdel(at.names.snapshot(TEAM), 'text')],
    [
      'whose end the log has lost',
      async (at, { connection: { client } }) => {
        const lost = await client.xrevrange(at.names.log(TEAM), '+', '-', 'COUNT', 3);
        await client.xdel(at.names.log(TEAM), ...lost.map(([id]) => id));
      },
    ],
  ])('%s is as if there were none', async (_, change) => {
    const at = redis();
    await change(at, await kept(at));
    const next = await open(at);
    expect(next.record.log.snapshots?.found).toBeUndefined();
    expect(next.store.state).toEqual(await folded(next));
  });

  test('of other code is as if there were none', async () => {
    const at = redis();
    await kept(at);
    const next = await open(at, 'v2');
    expect(next.record.log.snapshots?.found).toBeUndefined();
    expect(next.store.state).toEqual(await folded(next));
  });

  test('a process that keeps none looks for none', async () => {
    const at = redis();
    await kept(at);
    const { record } = await openRecordOn(at, { mode: 'open' });
    expect(record.log.snapshots).toBeUndefined();
  });

  test('goes with its team, and is not kept when that has gone', async () => {
    const at = redis();
    const { connection } = await kept(at);
    const late = await open(at);
    await removeTeamKeys(connection.client, at.names, TEAM);
    await late.record.log.snapshots?.keep({ next: late.store.state.next, text: 'late' });
    expect(await at.keys()).toEqual([]);
  });

  test('that has to be sealed is begun with where its key counts; else it is as if there were none', async () => {
    const at = redis();
    const [ann, vm, eve] = await Promise.all([ofHome('ann'), ofHome('vm'), ofHome('eve')]);
    const { key } = ann.pair;
    await vm.keys.accept(key, 'ann', 'worker');
    const first = await kept(at, await ann.seal());
    const found = async (seal: SnapshotSeal) => {
      // Who only looks keeps none of its own.
      const snapshots = { code: 'v1', afterFacts: 1_000, seal };
      const { record, clock } = await openRecordOn(at, { mode: 'open', snapshots });
      expect((await TeamStore.open(record.log, clock)).state).toEqual(await folded(first));
      return record.log.snapshots?.found?.next;
    };
    const next = first.store.state.next - 2;
    expect(await found(await ann.seal())).toBe(next);
    expect(await found(await vm.seal())).toBe(next);
    expect(await found(await eve.seal()), 'a stranger does not believe it').toBeUndefined();
    const { client } = first.connection;
    const snapshot = at.names.snapshot(TEAM);
    const [digest = '', seal = ''] = await client
      .hmget(snapshot, 'digest', 'seal')
      .then((all) => all.map(String));
    for (const wrong of [eve.sealed(digest), ann.sealed('f'.repeat(64)), seal.replace(' ', ''), '']) {
      await client.hset(snapshot, 'seal', wrong);
      expect(await found(await vm.seal()), wrong).toBeUndefined();
    }
    await client.hset(snapshot, 'seal', seal);
    expect(await found(await vm.seal())).toBe(next);
    await vm.keys.retire(ann.pair.id);
    expect(await found(await vm.seal()), 'its key was retired').toBeUndefined();
  });
});

/** A home with a key of a worker. */
async function ofHome(name: string) {
  const house = { home: join(await tempDir(name), 'home'), clock: systemClock };
  const keys = new KeyFolder(house.home, systemClock);
  await keys.init('worker');
  const [pair] = await keys.ownPairs('worker');
  if (pair === undefined) throw new Error(`${name} has no key`);
  const sealed = (digest: string): string => {
    const { key_id, signature } = signed('snapshot', { digest }, pair);
    return `${key_id} ${signature}`;
  };
  return { keys, pair, sealed, seal: () => snapshotSeal(house) };
}
