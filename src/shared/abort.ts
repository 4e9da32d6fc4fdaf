/**
 * Waiting that can be called off. Every wait of this program takes a signal and a deadline (style 19);
 * listeners come off and timers are cleared whichever way the wait ends.
 */

import { CancelledError } from './errors.js';

/** The most that one of Node's timers holds; a longer one would fire after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after `ms`, however long that is (a request may wait for months), or rejects with `CancelledError`
 * at once when the signal fires.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled(signal));
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(cancelled(signal));
    };
    const wait = (restMs: number): NodeJS.Timeout =>
      setTimeout(
        () => {
          if (restMs > LONGEST_TIMER_MS) {
            timer = wait(restMs - LONGEST_TIMER_MS);
            return;
          }
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.min(restMs, LONGEST_TIMER_MS),
      );
    let timer = wait(ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * A signal that fires after `ms`, or after the 24 days that a timer of Node can wait, with `CancelledError` `timeout`. It holds
 * no process, and its timer holds it: nobody else has to. Of `AbortSignal.timeout` that is not so: as a part of `AbortSignal.any` it goes with the next collection of memory, and
 * the deadline never comes (seen with Node 20).
 */
export function deadlineAfter(ms: number): AbortSignal {
  const late = new AbortController();
  const fire = (): void => late.abort(new CancelledError('timeout', 'the deadline passed'));
  setTimeout(fire, Math.min(ms, LONGEST_TIMER_MS)).unref();
  return late.signal;
}

/** A signal that fires when the given one does, and after `ms` in any case. */
export function within(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, deadlineAfter(ms)]);
}

/**
 * Does work whose signal fires when one of the given ones does, and after `ms` at the latest. The deadline and the listeners go
 * with the work: who works often or may work long leaves nothing behind (a turn has half an hour, and most take seconds).
 * `AbortSignal.any` would cost a turn more than its timer: what it makes is found by the collector of memory alone.
 */
export async function doWithin<T>(
  signals: AbortSignal | readonly AbortSignal[],
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const fire = (): void => control.abort(new CancelledError('timeout', 'the deadline passed'));
  const timer = setTimeout(fire, Math.min(ms, LONGEST_TIMER_MS)).unref();
  const releases = [signals].flat().map((signal) => passOn(signal, control));
  try {
    return await work(control.signal);
  } finally {
    clearTimeout(timer);
    for (const release of releases) release();
  }
}

/**
 * Fires a control with the reason of a signal as soon as that fires, or at once where it has.
 * @returns takes the listener off
 */
export function passOn(signal: AbortSignal, control: AbortController): () => void {
  const fire = (): void => control.abort(signal.reason);
  if (signal.aborted) fire();
  else signal.addEventListener('abort', fire, { once: true });
  return () => signal.removeEventListener('abort', fire);
}

/**
 * Settles as `work` does, or rejects with `CancelledError` as soon as the signal fires. The work itself goes on;
 * what becomes of it then is nobody's business, so a late failure of it is not an unhandled one.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      work.catch(() => {}); // said above: nobody waits for it any more
      reject(cancelled(signal));
      return;
    }
    const onAbort = (): void => reject(cancelled(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The error that says why a signal fired; its code is `timeout` when a deadline did. */
export function cancelled(signal: AbortSignal): CancelledError {
  const reason: unknown = signal.reason;
  if (reason instanceof CancelledError) return reason;
  const timeout = reason instanceof Error && reason.name === 'TimeoutError';
  return new CancelledError(
    timeout ? 'timeout' : 'cancelled',
    timeout ? 'the deadline passed' : 'called off',
    {
      cause: reason,
    },
  );
}
