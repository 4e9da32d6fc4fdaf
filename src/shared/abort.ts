/**
 * Waiting that can be called off. Every wait of this program takes a signal and a deadline (style 19);
 * listeners come off and timers are cleared whichever way the wait ends.
 */

import { CancelledError } from './errors.js';

/** Resolves after `ms`, or rejects with `CancelledError` at once when the signal fires. */
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
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Settles as `work` does, or rejects with `CancelledError` as soon as the signal fires. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
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
