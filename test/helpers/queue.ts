/** Queue and workers of a test, over a real Redis, with times that suit a test. */

import { expect, onTestFinished } from 'vitest';
import { BullMqQueue } from '../../src/dispatch/bullmq-queue.js';
import {
  BullMqWorkers,
  type BullMqWorkersOptions,
  type QueueTiming,
} from '../../src/dispatch/bullmq-workers.js';
import type { Dispatcher, DispatcherOptions } from '../../src/dispatch/dispatcher.js';
import { ANYWHERE, isTurnJob, type TurnJob } from '../../src/dispatch/job.js';
import { systemClock } from '../../src/shared/clock.js';
import type { TestRedis } from './redis.js';
import { until } from './until.js';

/** Everything that waits in days of a real run waits for a moment here. */
export const QUICK: QueueTiming = { lockMs: 60_000, beatMs: 50, stalledMs: 500, idleMs: 500, retryMs: 10 };

/** The side that takes jobs, closed when the test has ended. Any trouble fails the test unless it hears of it. */
export function queueAt(redis: TestRedis, heard: (line: string) => void = noTrouble()): BullMqQueue {
  const queue = new BullMqQueue({
    connect: () => redis.connect('queue').client,
    names: redis.names,
    clock: systemClock,
    onTrouble: heard,
  });
  onTestFinished(() => queue.close());
  return queue;
}

/** A process's workers, closed when the test has ended. */
export function workersAt(
  redis: TestRedis,
  options: Partial<BullMqWorkersOptions<TurnJob>> & Pick<BullMqWorkersOptions<TurnJob>, 'handler'>,
): BullMqWorkers<TurnJob> {
  const workers = new BullMqWorkers<TurnJob>({
    connect: () => redis.connect('blocking').client,
    names: redis.names,
    clock: systemClock,
    pools: [ANYWHERE],
    concurrency: 1,
    takes: isTurnJob,
    stillHeld: async () => true,
    onTrouble: options.onTrouble ?? noTrouble(),
    onError: (failed, error) => {
      throw new Error(`unexpected failure of ${failed.id}`, { cause: error });
    },
    ...options,
    timing: { ...QUICK, ...options.timing },
  });
  onTestFinished(async () => {
    await workers.close(1_000);
  });
  return workers;
}

/** Both sides as one, for the suite of the port. */
export function dispatcherAt(redis: TestRedis, options: DispatcherOptions<TurnJob>): Dispatcher<TurnJob> {
  const queue = queueAt(redis);
  const workers = workersAt(redis, options);
  return {
    enqueue: (job) => queue.enqueue(job),
    running: () => workers.running(),
    idle: (signal) => isEmpty(queue, signal),
    close: async (deadlineMs) => {
      await queue.close();
      return workers.close(deadlineMs);
    },
  };
}

/** Resolves when nothing waits, is put off or is with a worker in the pool of turns. */
export async function isEmpty(queue: BullMqQueue, signal?: AbortSignal): Promise<void> {
  await until(
    async () => {
      const { waiting, delayed, active } = await queue.counts(ANYWHERE);
      return waiting + delayed + active === 0;
    },
    { what: 'the queue is empty', ms: 30_000, ...(signal === undefined ? {} : { signal }) },
  );
}

/** A listener for lines of trouble in a test that expects none. */
function noTrouble(): (line: string) => void {
  const lines: string[] = [];
  onTestFinished(() => expect(lines, 'no trouble is told').toEqual([]));
  return (line) => lines.push(line);
}
