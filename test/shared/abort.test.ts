import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cancelled, deadlineAfter, doWithin, orAborted, sleep, within } from '../../src/shared/abort.js';
import { CancelledError } from '../../src/shared/errors.js';
import { until } from '../helpers/until.js';

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

function watch(promise: Promise<unknown>): { settled: boolean } {
  const state = { settled: false };
  const mark = (): void => {
    state.settled = true;
  };
  promise.then(mark, mark);
  return state;
}

describe('sleep', () => {
  test('ends after its time and leaves no listener and no timer', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const sleeping = sleep(1000, signal);
    const state = watch(sleeping);
    await vi.advanceTimersByTimeAsync(999);
    expect(state.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('lasts longer than one timer of Node can', async () => {
    vi.useFakeTimers();
    const sleeping = sleep(60 * DAY_MS, new AbortController().signal);
    const state = watch(sleeping);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
    expect(state.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
  });

  test('ends at once when the signal fires, also in a later stretch of a long one', async () => {
    vi.useFakeTimers();
    const control = new AbortController();
    const sleeping = sleep(60 * DAY_MS, control.signal);
    const refused = expect(sleeping).rejects.toThrow(CancelledError);
    await vi.advanceTimersByTimeAsync(50 * DAY_MS);
    control.abort();
    await refused;
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  test('does not begin when the signal has fired already', async () => {
    await expect(sleep(DAY_MS, AbortSignal.abort())).rejects.toThrow(CancelledError);
  });
});

describe('doWithin', () => {
  test('fires when its time is over, with a reason that says so', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const work = doWithin(signal, 1000, (both) => sleep(DAY_MS, both));
    const refused = expect(work).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    expect(signal.aborted).toBe(false);
  });

  test('fires when the given signal does', async () => {
    const control = new AbortController();
    const work = doWithin(control.signal, DAY_MS, (both) => sleep(DAY_MS, both));
    control.abort();
    await expect(work).rejects.toThrow(CancelledError);
  });

  test('fires with the reason of the first of several signals, also of one that had fired before', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const reasons = doWithin([one.signal, other.signal], DAY_MS, async (signal) => {
      other.abort('other');
      one.abort('one');
      return signal.reason;
    });
    expect(await reasons).toBe('other');
    const late = doWithin(
      [new AbortController().signal, one.signal],
      DAY_MS,
      async (signal) => signal.reason,
    );
    expect(await late).toBe('one');
  });

  test('leaves no timer and no listener when the work is done, or has failed', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    expect(await doWithin(signal, DAY_MS, async () => 3)).toBe(3);
    await expect(doWithin([signal], DAY_MS, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('orAborted', () => {
  test('settles as the work does and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(3), signal)).toBe(3);
    await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('rejects when the signal fires, whatever becomes of the work', async () => {
    const control = new AbortController();
    const waiting = orAborted(new Promise(() => {}), control.signal);
    control.abort();
    await expect(waiting).rejects.toThrow(CancelledError);
  });

  test('work that fails after nobody waits for it is no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const late = new AbortController();
      const started = orAborted(rejectSoon(), late.signal);
      late.abort();
      await expect(started).rejects.toThrow(CancelledError);
      await expect(orAborted(rejectSoon(), AbortSignal.abort())).rejects.toThrow(CancelledError);
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unhandled).toEqual([]);
  });
});

function rejectSoon(): Promise<never> {
  return new Promise((_, reject) => {
    setImmediate(() => reject(new Error('late failure')));
  });
}

describe('cancelled', () => {
  test('gives a CancelledError reason back as it is', () => {
    const reason = new CancelledError('stopped', 'the operator stopped the team');
    expect(cancelled(AbortSignal.abort(reason))).toBe(reason);
  });

  test('tells a deadline from a calling off, and keeps the reason as cause', () => {
    const deadline = new DOMException('too late', 'TimeoutError');
    expect(cancelled(AbortSignal.abort(deadline))).toMatchObject({ code: 'timeout', cause: deadline });
    expect(cancelled(AbortSignal.abort('why not'))).toMatchObject({ code: 'cancelled', cause: 'why not' });
  });
});

describe('a deadline', () => {
  /** Collects memory as Node does when it runs for long. */
  function collect(): void {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
  }

  test.each([
    ['alone', () => deadlineAfter(200)],
    ['beside a signal that never fires', () => within(new AbortController().signal, 200)],
    [
      'as a part of another',
      () => AbortSignal.any([within(new AbortController().signal, 200), new AbortController().signal]),
    ],
  ])('comes though nobody holds it: %s', async (_, made) => {
    let late: unknown;
    (() => {
      const signal = made();
      signal.addEventListener('abort', () => {
        late = signal.reason;
      });
    })();
    await pause(20);
    collect();
    await pause(20);
    collect();
    await until(() => late !== undefined, { what: 'the deadline comes' });
    expect(late).toMatchObject({ name: 'CancelledError', code: 'timeout' });
  });

  test('of two ends the first one counts, and its reason is told', () => {
    const control = new AbortController();
    const both = within(control.signal, DAY_MS);
    control.abort(new CancelledError('stopped', 'enough'));
    expect(cancelled(both)).toMatchObject({ code: 'stopped' });
  });

  test('may be further away than one timer of Node can wait', () => {
    expect(deadlineAfter(400 * DAY_MS).aborted).toBe(false);
  });
});
