/** Waits with an end, for those whose far side may never answer. No timer outlives the wait. */

import { orAborted } from '../shared/abort.js';
import { CancelledError } from '../shared/errors.js';

/**
 * What the work gives, or `CancelledError` `timeout` when it has not settled after `ms`; the signal it was given has
 * fired then, and what still becomes of it is nobody's business.
 */
export async function byDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(new CancelledError('timeout', 'the deadline passed')), ms);
  try {
    return await orAborted(work(control.signal), control.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the work, at most so long; how it ends, and whether, is nobody's business. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  await byDeadline(ms, () => work).catch(() => {}); // said above
}
