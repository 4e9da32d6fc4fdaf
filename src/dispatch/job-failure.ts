/**
 * What a handler's error becomes in the queue: a retry for what passes, an end for the rest. Only its code is stored: the
 * text of an error may hold what must not stand in Redis (invariant 8), and whoever runs the job has heard the whole.
 */

import { UnrecoverableError } from 'bullmq';
import { CodedError, RetryableError } from '../shared/errors.js';

/** The library's numbers for what it was told of a job whose lock is not there, or another's, or that is done by now. */
const ELSEWHERE: readonly unknown[] = [-2, -3, -6];

/** Whether the queue did not hear of the end of a job since it has given that job to another: its lease has decided. */
export function isElsewhere(error: Error): boolean {
  return 'code' in error && ELSEWHERE.includes(error.code);
}

/** The most that one retry waits, unless the far side named a time itself. */
const LONGEST_MS = 60_000;

class PassingFailure extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(code: string, retryAfterMs: number | undefined) {
    super(code);
    this.name = 'PassingFailure';
    this.retryAfterMs = retryAfterMs;
  }
}

/** What is thrown to BullMQ for an error of a handler. */
export function storedFailure(error: unknown): Error {
  if (error instanceof RetryableError) return new PassingFailure(error.code, error.retryAfterMs);
  if (error instanceof CodedError) return new UnrecoverableError(error.code);
  return new UnrecoverableError(error instanceof Error ? error.name : 'not-an-error');
}

/**
 * How long a job waits before it is tried again: the far side's own word, else twice as long each time, and a part of it
 * by chance, so that jobs that failed together do not come back together.
 * @param made how often it was tried, from 1
 * @param baseMs what the first retry waits at most
 */
export function delayBeforeRetry(
  made: number,
  error: Error | undefined,
  baseMs: number,
  random: () => number = Math.random,
): number {
  const said = error instanceof PassingFailure ? error.retryAfterMs : undefined;
  const least = said ?? Math.min(LONGEST_MS, baseMs * 2 ** (made - 1)) / 2;
  return Math.max(1, Math.round(least * (1 + (said === undefined ? random() : random() / 10))));
}
