// durability: strict (spec/engine.md §1 "Loss"): nothing is done outside of the record before a replica knows what allows it.
import { expect, test } from 'vitest';
import type { Fact } from '../../src/events/event.js';
import { entryAt } from '../contracts/record-samples.js';
import { WAITING } from '../e2e/on-redis.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { redisProxy } from '../helpers/redis-proxy.js';
import { openRecordOn } from '../helpers/redis-record.js';
import { asked, follows, replicated } from '../helpers/redis-replica.js';
import { until } from '../helpers/until.js';
import { SharedTeam, TEAM } from './shared-team.js';

const STARTED: Fact = {
  type: 'tool.started',
  turn: 1,
  member: 'lead',
  place: '1-2.0',
  digest: 'd'.repeat(64),
  tool: 'shell_exec',
  class: 'write',
  request: null,
};

/** An entry behind which a tool is run. */
const allowing = (first: number) => ({ ...entryAt(first), facts: [STARTED] });

describePrivateRedis('an entry that allows an effect', () => {
  test('is answered when a replica has it; what allows none waits for nobody', async () => {
    const { primary, replica } = await replicated();
    const heard: string[] = [];
    const onPassing = (error: unknown): void => void heard.push(String(error));
    const at = redisAt(primary.url);
    const { record } = await openRecordOn(at, { mode: 'create', durability: 'strict', onPassing });
    expect(await record.log.append(entryAt(1))).toEqual({ kind: 'appended' });
    expect(await record.log.append(allowing(2))).toEqual({ kind: 'appended' });
    expect(await asked(replica, 'XLEN', at.names.log('run-test-1'))).toBe('2');
    heard.splice(0); // A replica may be late by itself.
    replica.freeze();
    try {
      expect(await record.log.append(entryAt(3))).toEqual({ kind: 'appended' });
      const waits = record.log.append(allowing(4));
      let answered = false;
      void waits.then(() => {
        answered = true;
      });
      await until(() => heard.length > 2, { what: 'the server was asked again' });
      expect(answered).toBe(false);
      expect(heard[0]).toContain('the effect waits for one');
      replica.thaw();
      expect(await waits).toEqual({ kind: 'appended' });
    } finally {
      replica.thaw();
    }
    await primary.kill();
    expect(await asked(replica, 'XLEN', at.names.log('run-test-1'))).toBe('4');
    await primary.start();
  });

  test('without a replica it is refused when its time is over, by name, and nothing more is recorded here', async () => {
    const at = redisAt((await privateRedis()).url);
    const { record } = await openRecordOn(at, { mode: 'create', durability: 'strict', unreachableMs: 500 });
    await record.log.append(entryAt(1));
    const refused = { code: 'not-replicated', message: expect.stringContaining('nothing was done') };
    await expect(record.log.append(allowing(2))).rejects.toMatchObject(refused);
    await expect(record.log.append(entryAt(3))).rejects.toMatchObject(refused);
  });

  test('a server that became another in between, and does not hold it, allows nothing', async () => {
    const [first, stale] = [await privateRedis(), await privateRedis()];
    const line = await redisProxy(first);
    const at = redisAt(first.url);
    const connection = at.connectBy(line.url);
    const heard: unknown[] = [];
    const onPassing = (error: unknown): void => void heard.push(error);
    const { record } = await openRecordOn(at, {
      mode: 'create',
      durability: 'strict',
      connection,
      onPassing,
    });
    await record.log.append(entryAt(1));
    const waits = record.log.append(allowing(2));
    waits.catch(() => undefined);
    await until(() => heard.length > 0, { what: 'it waits' });
    line.cut();
    line.leadTo(stale);
    await expect(waits).rejects.toMatchObject({ code: 'log-gone' });
    expect(await asked(stale, 'DBSIZE')).toBe('0');
  });
});

describePrivateRedis('a team with durability strict', () => {
  test('its tool runs when the replica has what allows it, and with the replica alone nothing of that is unknown', async () => {
    const { primary, replica } = await replicated();
    const team = await SharedTeam.of(WAITING, redisAt(primary.url), { env: { BNERD_DURABILITY: 'strict' } });
    const coordinator = await team.coordinate();
    replica.freeze();
    let worker: Awaited<ReturnType<SharedTeam['worker']>>;
    try {
      worker = await team.worker();
      await worker.says(/no replica has what allows an effect/);
      await team.fact('tool.started');
      expect(await team.at.file('begun')).toBeUndefined();
    } finally {
      replica.thaw();
    }
    await until(() => team.at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    await primary.kill();
    const log = await asked(replica, 'XRANGE', team.redis.names.log(TEAM), '-', '+');
    expect(log).toContain('tool.started');
    await primary.start();
    worker.signal('SIGKILL');
    coordinator.signal('SIGKILL');
    await Promise.all([worker.ended, coordinator.ended]);
    await follows(replica);
  });
});
