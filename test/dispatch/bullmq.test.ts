import { describe, expect, test } from 'vitest';
import { ANYWHERE, type Job, poolOfHost, type TurnJob, turnJob } from '../../src/dispatch/job.js';
import type { RedisConnection } from '../../src/events/redis/connection.js';
import { BugError } from '../../src/shared/errors.js';
import { dispatcherContract, job } from '../contracts/dispatcher.js';
import { barrier } from '../helpers/barrier.js';
import { heldTimers } from '../helpers/held-timers.js';
import { dispatcherAt, isEmpty, queueAt, workersAt } from '../helpers/queue.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

const HERE = poolOfHost('h1');
const at = (pool: string, cause: number): TurnJob =>
  turnJob({ team: 'run-x', member: 'ada', role: 'worker', cause, pool });

describeRedis('the queue over Redis', () => {
  const redis = redisForTests();

  describe('keeps the contract', () => {
    dispatcherContract('over Redis', (options) => dispatcherAt(redis(), options));
  });

  test('workers that have closed leave nothing that holds their process', async () => {
    const held = heldTimers('ioredis');
    const server = redis();
    const opened: RedisConnection[] = [];
    const workers = workersAt(server, {
      connect: () => {
        const connection = server.connect('blocking');
        opened.push(connection);
        return connection.client;
      },
      handler: async () => {},
    });
    await until(() => opened.length > 1 && opened.every(({ client }) => client.status === 'ready'), {
      what: 'it is connected',
    });
    await workers.close(1_000);
    await workers.close(1_000);
    await until(() => opened.every(({ client }) => client.status === 'end'), { what: 'they have ended' });
    expect(held()).toBe(0);
  });

  test('pools of one process share its slots: never more at once, and neither waits for the other’s end', async () => {
    const server = redis();
    const queue = queueAt(server);
    const order: string[] = [];
    let most = 0;
    const meeting = barrier(2);
    const workers = workersAt(server, {
      pools: [ANYWHERE, HERE],
      concurrency: 2,
      handler: async ({ pool }) => {
        most = Math.max(most, workers.running());
        order.push(pool);
        expect(workers.progressAt()).toBeLessThan(Number.POSITIVE_INFINITY);
        await meeting.arrive();
      },
    });
    for (let cause = 1; cause <= 8; cause++) {
      for (const pool of [ANYWHERE, HERE]) await queue.enqueue(at(pool, cause));
    }
    await until(() => order.length === 16, { what: 'all have run', ms: 30_000 });
    expect(most).toBe(2);
    // Whoever rests has the next slot that comes free: no pool has run all before the other began its second half.
    for (const pool of [ANYWHERE, HERE]) expect(order.slice(0, 12)).toContain(pool);
    const firsts = order.slice(0, 10).filter((pool) => pool === HERE).length;
    expect(firsts).toBeGreaterThan(1);
    expect(firsts).toBeLessThan(9);
  });

  test('a job that a busy process gave back is with an idle one at once', async () => {
    const server = redis();
    const queue = queueAt(server);
    const end = barrier(2);
    const ran: string[] = [];
    const busy = workersAt(server, {
      pools: [ANYWHERE, HERE],
      handler: async () => {
        ran.push('busy');
        await end.arrive();
      },
    });
    await queue.enqueue(at(HERE, 1));
    await until(() => busy.running() === 1, { what: 'the first is busy' });
    await queue.enqueue(at(ANYWHERE, 2));
    workersAt(server, {
      handler: async () => {
        ran.push('idle');
      },
    });
    await until(() => ran.includes('idle'), { what: 'the other has it' });
    expect(ran).toEqual(['busy', 'idle']);
    await end.arrive();
  });

  test('a job that no worker here can serve goes back for a beat, spends no retry, and is named from the third time on', async () => {
    const server = redis();
    const queue = queueAt(server);
    const named: [string, string, number][] = [];
    let fits = false;
    let ran = 0;
    for (let opened = 0; opened < 2; opened++) {
      workersAt(server, {
        timing: { beatMs: 20 },
        mismatch: async () => (fits ? undefined : 'no key for anthropic'),
        onMismatch: ({ id }, why, times) => named.push([id, why, times]),
        handler: async () => {
          ran++;
        },
      });
    }
    await queue.enqueue(job(1));
    await until(() => named.length >= 6, { what: 'it was named' });
    expect(named.slice(0, 3)).toEqual([3, 4, 5].map((times) => [job(1).id, 'no key for anthropic', times]));
    fits = true;
    await isEmpty(queue);
    expect(ran).toBe(1);
  });

  test('what another pool is for, and what is no job of ours, is not run', async () => {
    const server = redis();
    const queue = queueAt(server);
    const lines: string[] = [];
    const ran: Job[] = [];
    workersAt(server, {
      onTrouble: (line) => lines.push(line),
      handler: async (one) => {
        ran.push(one);
      },
    });
    await queue.enqueue({ id: 'run-x~b-1', kind: 'brief', team: 'run-x', brief: 'b-1', pool: ANYWHERE });
    await queue.enqueue(at(HERE, 1));
    await until(() => lines.length > 0, { what: 'it is told' });
    expect(lines[0]).toContain('none of ours');
    expect([ran, await queue.counts(HERE)]).toEqual([[], { waiting: 1, delayed: 0, active: 0 }]);
  });

  test.each([0, 1.5, Number.NaN])('refuses a concurrency of %s', (concurrency) => {
    expect(() => workersAt(redis(), { concurrency, handler: async () => {} })).toThrow(BugError);
  });

  test('refuses to serve no pool', () => {
    expect(() => workersAt(redis(), { pools: [], handler: async () => {} })).toThrow(BugError);
  });
});
