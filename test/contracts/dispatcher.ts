/**
 * What every dispatcher promises (D1–D5 of `src/dispatch/dispatcher.ts`), as a suite that takes a factory.
 *
 * Over Redis queue and workers are joined to one for this suite; what differs there by the port's own words is said at
 * the place: waiting jobs outlive the process, and an end is known a moment after the handler has settled.
 */

import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dispatcher, DispatcherOptions, Enqueued } from '../../src/dispatch/dispatcher.js';
import { ANYWHERE, type TurnJob, turnJob } from '../../src/dispatch/job.js';
import { CancelledError } from '../../src/shared/errors.js';
import { barrier } from '../helpers/barrier.js';
import { until } from '../helpers/until.js';

const FOREVER = new AbortController().signal;
/** A deadline that no test waits for. */
const LONG_MS = 60_000;

export function job(cause: number, member = 'lead'): TurnJob {
  return turnJob({ team: 'run-x', member, role: 'worker', cause, pool: ANYWHERE });
}

export type Make = (options: DispatcherOptions<TurnJob>) => Dispatcher<TurnJob>;

/** Runs the suite on what `create` makes, which is called in a test. */
export function dispatcherContract(where: 'in process' | 'over Redis', create: Make): void {
  const make = (options: Partial<DispatcherOptions<TurnJob>>): Dispatcher<TurnJob> => {
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
      const seen: TurnJob[] = [];
      const dispatcher = make({
        handler: async (one) => {
          seen.push(one);
        },
      });
      const answer = dispatcher.enqueue(job(7, 'writer'));
      expect(seen).toEqual([]);
      expect(await answer).toEqual({ kind: 'queued' });
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
      for (const cause of [3, 1, 2]) await dispatcher.enqueue(job(cause));
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
      for (let cause = 1; cause <= 9; cause++) await dispatcher.enqueue(job(cause));
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
          if (cause < 4) await dispatcher.enqueue(job(cause + 1));
        },
      });
      await dispatcher.enqueue(job(1));
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
        const answers: Promise<void>[] = [];
        const dispatcher = create({
          concurrency,
          handler: async ({ id }) => {
            runs.set(id, (runs.get(id) ?? 0) + 1);
            await Promise.resolve();
            // Over Redis the end of a job is known some time after its handler has settled.
            if (where === 'in process') live.delete(id);
          },
          onError: () => expect.unreachable('no handler fails here'),
        });
        for (const one of steps) {
          if (one.kind === 'drain') {
            await dispatcher.idle(FOREVER);
            live.clear();
            continue;
          }
          const { id } = job(one.cause);
          const known = live.has(id);
          const taken = dispatcher.enqueue(job(one.cause)).then((answer) => {
            if (answer.kind === 'queued') queued.set(id, (queued.get(id) ?? 0) + 1);
            else expect([answer.kind, known]).toEqual(['coalesced', true]);
          });
          answers.push(taken);
          live.add(id);
          if (where === 'over Redis') await taken;
        }
        await Promise.all(answers);
        await dispatcher.idle(FOREVER);
        expect(runs).toEqual(queued);
        await dispatcher.close(LONG_MS);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), scenario),
        { numRuns: where === 'in process' ? 100 : 15 },
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
      expect(await dispatcher.enqueue(job(1))).toEqual({ kind: 'queued' });
      await until(() => dispatcher.running() === 1, { what: 'the first runs' });
      expect(await dispatcher.enqueue(job(1))).toEqual({ kind: 'coalesced', existing: 'active' });
      expect(await dispatcher.enqueue(job(2))).toEqual({ kind: 'queued' });
      expect(await dispatcher.enqueue(job(2))).toEqual({ kind: 'coalesced', existing: 'waiting' });
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
        expect(await dispatcher.enqueue(job(1))).toEqual({ kind: 'queued' });
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
      for (const cause of [1, 2, 3]) await dispatcher.enqueue(job(cause));
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
      await dispatcher.enqueue(job(1));
      await dispatcher.idle(FOREVER);
      expect(failures).toEqual([new Error('at once')]);
    });

    test('onError may enqueue the same job again', async () => {
      let tries = 0;
      const answers: Promise<Enqueued>[] = [];
      const dispatcher = make({
        handler: async () => {
          if (++tries < 3) throw new Error('not yet');
        },
        onError: (failed) => answers.push(dispatcher.enqueue(failed)),
      });
      await dispatcher.enqueue(job(1));
      await until(() => tries === 3, { what: 'the third try' });
      await dispatcher.idle(FOREVER);
      expect(await Promise.all(answers)).toEqual([{ kind: 'queued' }, { kind: 'queued' }]);
      expect(tries).toBe(3);
    });
  });

  // Over Redis nobody knows of all jobs, and nothing of the program waits for that.
  if (where === 'in process') {
    describe('idle', () => {
      test('resolves at once when nothing was ever enqueued', async () => {
        await make({}).idle(FOREVER);
      });

      test('rejects when its signal fires, and leaves no listener on it', async () => {
        const meeting = barrier(2);
        const dispatcher = make({ handler: () => meeting.arrive() });
        await dispatcher.enqueue(job(1));
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
  }

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
      await dispatcher.enqueue(job(1));
      await dispatcher.enqueue(job(2));
      await until(() => dispatcher.running() === 1, { what: 'the first runs' });
      const { unfinished } = await dispatcher.close(LONG_MS);
      expect(log).toEqual(['start 1', 'end 1']);
      expect(unfinished).toEqual(where === 'in process' ? [job(2)] : []);
      expect(await dispatcher.enqueue(job(3))).toEqual({ kind: 'closed' });
      expect(log).toEqual(['start 1', 'end 1']);
    });

    if (where === 'in process') {
      test('ends the wait of those who waited for jobs that never started', async () => {
        const dispatcher = make({ handler: () => expect.unreachable('nothing starts') });
        void dispatcher.enqueue(job(1));
        const waiting = dispatcher.idle(FOREVER);
        expect((await dispatcher.close(LONG_MS)).unfinished).toEqual([job(1)]);
        await waiting;
      });
    }

    test('names the job that does not end by the deadline, and not when it has ended by the next call', async () => {
      const meeting = barrier(2);
      const dispatcher = make({ concurrency: 2, handler: () => meeting.arrive() });
      await dispatcher.enqueue(job(1));
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
      await dispatcher.enqueue(job(1));
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
      await dispatcher.enqueue(job(1));
      const running = dispatcher.running.bind(dispatcher);
      await until(() => running() === 1, { what: 'the handler runs' });
      const before = timers();
      await dispatcher.close(LONG_MS);
      // A connection that is ended has half a second for the server's word, and then none.
      await until(() => timers() <= before, { what: 'no timer is left' });
    });
  });
}
