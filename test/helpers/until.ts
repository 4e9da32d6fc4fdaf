/**
 * Waiting by condition, with a bound: the only way a test waits for something it was not handed a promise of.
 * The bound ends a broken test; it is not an assertion about speed.
 */

import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for a process start on a loaded machine. */
const DEFAULT_MS = 10_000;
/** A look may cost a program or a record: who waits for long looks less often, and leaves its core to what it waits for. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;

export interface UntilOptions {
  /** How long to go on asking, in milliseconds; 10,000 unless given. */
  readonly ms?: number;
  /** What is awaited, in words: stands in the error when it never comes. */
  readonly what: string | (() => string);
  /** Ends the wait early: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Asks `condition` until it gives something other than false, null or undefined, and gives that back. A
 * condition that throws fails the wait at once.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { ms = DEFAULT_MS, what, signal }: UntilOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + ms;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 1.2)) {
    signal?.throwIfAborted();
    const found = await condition();
    if (isFound(found)) return found;
    if (performance.now() >= deadline)
      throw new Error(`waited ${ms} ms in vain until ${typeof what === 'string' ? what : what()}`);
    await pause(wait);
  }
}

function isFound<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}
