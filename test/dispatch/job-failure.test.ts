import { UnrecoverableError } from 'bullmq';
import { expect, test } from 'vitest';
import { delayBeforeRetry, storedFailure } from '../../src/dispatch/job-failure.js';
import { FatalError, RetryableError } from '../../src/shared/errors.js';

test('what passes is tried again, everything else is not, and only a code is stored', () => {
  const passing = storedFailure(new RetryableError('busy', 'the key sk-secret is over its limit'));
  expect(passing).not.toBeInstanceOf(UnrecoverableError);
  const rows: [unknown, string][] = [
    [new FatalError('disk-full', 'no room for sk-secret'), 'disk-full'],
    [new TypeError('sk-secret of undefined'), 'TypeError'],
    ['sk-secret', 'not-an-error'],
  ];
  expect(passing.message).toBe('busy');
  for (const [error, code] of rows) {
    const stored = storedFailure(error);
    expect(stored).toBeInstanceOf(UnrecoverableError);
    expect(stored.message).toBe(code);
  }
});

test('a retry waits twice as long each time, a part of it by chance, and never more than a minute', () => {
  const least = [1, 2, 3, 4, 20].map((made) => delayBeforeRetry(made, undefined, 1_000, () => 0));
  const most = [1, 2, 3, 4, 20].map((made) => delayBeforeRetry(made, undefined, 1_000, () => 1));
  expect(least).toEqual([500, 1_000, 2_000, 4_000, 30_000]);
  expect(most).toEqual([1_000, 2_000, 4_000, 8_000, 60_000]);
});

test('the far side says itself how long to wait', () => {
  const said = storedFailure(new RetryableError('busy', 'later', { retryAfterMs: 90_000 }));
  expect(delayBeforeRetry(1, said, 1_000, () => 0)).toBe(90_000);
});
