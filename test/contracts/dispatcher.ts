/** What every dispatcher promises (D1–D5 of `src/dispatch/dispatcher.ts`), as a suite that takes a factory. */

import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dispatcher, DispatcherOptions, Job } from '../../src/dispatch/dispatcher.js';
import { CancelledError } from '../../src/shared/errors.js';
import { barrier } from '../helpers/barrier.js';
import { until } from '../helpers/until.js';

const FOREVER = new AbortController().signal;
/** A deadline that no test waits for. */
const LONG_MS = 60_000;

export function job(cause: number, member = 'lead'): Job {
  return { id: `run-x/${member}/${cause}`, kind: 'turn', team: 'run-x', member, cause };
}

/** Runs the suite on what `create` makes. */
export function dispatcherContract(create: (options: DispatcherOptions) => Dispatcher): void {
  const make = (options: Partial<DispatcherOptions>): Dispatcher => {
    const dispatcher = create({
      concurrency: 1,
      handler: async () => {},
      onError: (failed, error) => {
        throw new Error(`unexpected failure of ${failed.id}`, { cause: error });
      },
      ...options,
    });
    onTestFinished(async () => {
      await dispatcher.close(LONG_MS);
      expect(dispatcher.running()).toBe(0);
    });
    return dispatcher;
  };

  describe('running', () => {
    test('a job is handed to the handler as it was enqueued, after enqueue has returned', async () => {
      const seen: Job[] = [];
      const dispatcher = make({
        handler: async (one) => {
          seen.push(one);
        },
      });
      expect(dispatcher.enqueue(job(7, 'writer'))).toBe('queued');
      expect(seen).toEqual([]);
      await dispatcher.idle(FOREVER);
      expect(seen).toEqual([job(7, 'writer')]);
      expect(dispatcher.running()).toBe(0);
    });

    test('jobs start in the order of their enqueues, one at a time when that is the concurrency', async () => {
      const log: string[] = [];
      const dispatcher = make({
        handler: async ({ cause }) => {
          log.push(`start ${cause}`);
          await Promise.resolve();
          log.push(`end ${cause}`);
        },
      });
      for (const cause of [3, 1, 2]) dispatcher.enqueue(job(cause));
      await dispatcher.idle(FOREVER);
      expect(log).toEqual(['start 3', 'end 3', 'start 1', 'end 1', 'start 2', 'end 2']);
    });

    test('as many as the concurrency run at once, and never one more', async () => {
      const meeting = barrier(4);
      let most = 0;
      const dispatcher = make({
        concurrency: 3,
        handler: async () => {
          most = Math.max(most, dispatcher.running());
          await meeting.arrive();
        },
      });
      for (let cause = 1; cause <= 9; cause++) dispatcher.enqueue(job(cause));
      for (let round = 0; round < 3; round++) {
        await until(() => meeting.waiting() === 3, { what: 'three handlers run' });
        expect(dispatcher.running()).toBe(3);
        await meeting.arrive();
      }
      await dispatcher.idle(FOREVER);
      expect(most).toBe(3);
    });

    test('a handler may enqueue further jobs, and idle waits for those too', async () => {
      const ran: number[] = [];
      const dispatcher = make({
        handler: async ({ cause }) => {
          ran.push(cause);
          if (cause < 4) dispatcher.enqueue(job(cause + 1));
        },
      });
      dispatcher.enqueue(job(1));
      await dispatcher.idle(FOREVER);
      expect(ran).toEqual([1, 2, 3, 4]);
    });
  });

  describe('ids', () => {
    test('C76: after every enqueue either the job runs or the answer says that it was coalesced', async () => {
      type Step = { readonly kind: 'enqueue'; readonly cause: number } | { readonly kind: 'drain' };
      const step = fc.oneof(
        fc.record({ kind: fc.constant('enqueue' as const), cause: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ kind: fc.constant('drain' as const) }),
      );
      const scenario = async (steps: readonly Step[], concurrency: number): Promise<void> => {
        const runs = new Map<string, number>();
        const queued = new Map<string, number>();
        const live = new Set<string>();
        const dispatcher = create({
          concurrency,
          handler: async ({ id }) => {
            runs.set(id, (runs.get(id) ?? 0) + 1);
            await Promise.resolve();
            live.delete(id);
          },
          onError: () => expect.unreachable('no handler fails here'),
        });
        for (const one of steps) {
          if (one.kind === 'drain') {
            await dispatcher.idle(FOREVER);
            continue;
          }
          const { id } = job(one.cause);
          const answer = dispatcher.enqueue(job(one.cause));
          if (answer === 'queued') queued.set(id, (queued.get(id) ?? 0) + 1);
          else {
            expect(answer).toBe('coalesced');
            expect(live).toContain(id);
          }
          live.add(id);
        }
        await dispatcher.idle(FOREVER);
        expect(runs).toEqual(queued);
        await dispatcher.close(LONG_MS);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), scenario),
      );
    });

    test('a job whose id waits or runs is coalesced, and other ids are not touched by it', async () => {
      const meeting = barrier(2);
      const ran: number[] = [];
      const dispatcher = make({
        handler: async ({ cause }) => {
          ran.push(cause);
          await meeting.arrive();
        },
      });
      expect(dispatcher.enqueue(job(1))).toBe('queued');
      await until(() => dispatcher.running() === 1, { what: 'the first runs' });
      expect(dispatcher.enqueue(job(1))).toBe('coalesced');
      expect(dispatcher.enqueue(job(2))).toBe('queued');
      expect(dispatcher.enqueue(job(2))).toBe('coalesced');
      await meeting.arrive();
      await meeting.arrive();
      await dispatcher.idle(FOREVER);
      expect(ran).toEqual([1, 2]);
    });

    test('C75: the second wake under the id of a job that has finished runs again', async () => {
      let runs = 0;
      const dispatcher = make({
        handler: async () => {
          runs++;
        },
      });
      for (const wake of [1, 2, 3]) {
        expect(dispatcher.enqueue(job(1))).toBe('queued');
        await dispatcher.idle(FOREVER);
        expect(runs).toBe(wake);
      }
    });
  });

  describe('failing', () => {
    test('a handler that fails is told to onError and costs no other job', async () => {
      const failures: [string, unknown][] = [];
      const ran: number[] = [];
      const error = new Error('cause 2 is cursed');
      const dispatcher = make({
        handler: async ({ cause }) => {
          if (cause === 2) throw error;
          ran.push(cause);
        },
        onError: ({ id }, thrown) => failures.push([id, thrown]),
      });
      for (const cause of [1, 2, 3]) dispatcher.enqueue(job(cause));
      await dispatcher.idle(FOREVER);
      expect(failures).toEqual([[job(2).id, error]]);
      expect(ran).toEqual([1, 3]);
    });

    test('a handler that throws before it returns a promise counts as failed', async () => {
      const failures: unknown[] = [];
      const dispatcher = make({
        handler: () => {
          throw new Error('at once');
        },
        onError: (_, error) => failures.push(error),
      });
      dispatcher.enqueue(job(1));
      await dispatcher.idle(FOREVER);
      expect(failures).toEqual([new Error('at once')]);
    });

    test('onError may enqueue the same job again', async () => {
      let tries = 0;
      const dispatcher = make({
        handler: async () => {
          if (++tries < 3) throw new Error('not yet');
        },
        onError: (failed) => expect(dispatcher.enqueue(failed)).toBe('queued'),
      });
      dispatcher.enqueue(job(1));
      await dispatcher.idle(FOREVER);
      expect(tries).toBe(3);
    });
  });

  describe('idle', () => {
    test('resolves at once when nothing was ever enqueued', async () => {
      await make({}).idle(FOREVER);
    });

    test('rejects when its signal fires, and leaves no listener on it', async () => {
      const meeting = barrier(2);
      const dispatcher = make({ handler: () => meeting.arrive() });
      dispatcher.enqueue(job(1));
      const control = new AbortController();
      const waiting = dispatcher.idle(control.signal);
      control.abort();
      await expect(waiting).rejects.toThrow(CancelledError);
      await expect(dispatcher.idle(control.signal)).rejects.toThrow(CancelledError);
      const other = new AbortController();
      const patient = dispatcher.idle(other.signal);
      await meeting.arrive();
      await patient;
      expect(getEventListeners(other.signal, 'abort')).toEqual([]);
      expect(getEventListeners(control.signal, 'abort')).toEqual([]);
    });
  });

  describe('close', () => {
    test('fires the signals of running jobs, waits for them and starts nothing more', async () => {
      const log: string[] = [];
      const dispatcher = make({
        handler: async ({ cause }, signal) => {
          log.push(`start ${cause}`);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          await Promise.resolve();
          log.push(`end ${cause}`);
          throw signal.reason;
        },
      });
      dispatcher.enqueue(job(1));
      dispatcher.enqueue(job(2));
      await until(() => dispatcher.running() === 1, { what: 'the first runs' });
      const { unfinished } = await dispatcher.close(LONG_MS);
      expect(log).toEqual(['start 1', 'end 1']);
      expect(unfinished).toEqual([job(2)]);
      expect(dispatcher.enqueue(job(3))).toBe('closed');
      await dispatcher.idle(FOREVER);
      expect(log).toEqual(['start 1', 'end 1']);
    });

    test('ends the wait of those who waited for jobs that never started', async () => {
      const dispatcher = make({ handler: () => expect.unreachable('nothing starts') });
      dispatcher.enqueue(job(1));
      const waiting = dispatcher.idle(FOREVER);
      expect((await dispatcher.close(LONG_MS)).unfinished).toEqual([job(1)]);
      await waiting;
    });

    test('names the job that does not end by the deadline, and not when it has ended by the next call', async () => {
      const meeting = barrier(2);
      const dispatcher = make({ concurrency: 2, handler: () => meeting.arrive() });
      dispatcher.enqueue(job(1));
      await until(() => meeting.waiting() === 1, { what: 'the handler waits' });
      expect((await dispatcher.close(1)).unfinished).toEqual([job(1)]);
      const patient = dispatcher.close(LONG_MS);
      await meeting.arrive();
      expect((await patient).unfinished).toEqual([]);
      expect(dispatcher.running()).toBe(0);
    });

    test('a job that fails of itself while closing is still told to onError', async () => {
      const failures: unknown[] = [];
      const dispatcher = make({
        handler: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('disk full')), { once: true });
          }),
        onError: (_, error) => failures.push(error),
      });
      dispatcher.enqueue(job(1));
      await until(() => dispatcher.running() === 1, { what: 'the handler runs' });
      await dispatcher.close(LONG_MS);
      expect(failures).toEqual([new Error('disk full')]);
    });

    test('leaves no timer of its own in the process', async () => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const dispatcher = make({
        handler: (_, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      });
      dispatcher.enqueue(job(1));
      const running = dispatcher.running.bind(dispatcher);
      await until(() => running() === 1, { what: 'the handler runs' });
      const before = timers();
      await dispatcher.close(LONG_MS);
      expect(timers()).toBe(before);
    });
  });
}
