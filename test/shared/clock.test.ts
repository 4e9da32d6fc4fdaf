import { expect, test } from 'vitest';
import { isoStamp, systemClock } from '../../src/shared/clock.js';

test('a stamp is ISO 8601 in UTC with milliseconds', () => {
  expect(isoStamp(1469918176385)).toBe('2016-07-30T22:36:16.385Z');
  expect(isoStamp(0)).toBe('1970-01-01T00:00:00.000Z');
});

test('the monotonic clock never goes back', () => {
  const readings = Array.from({ length: 1000 }, () => systemClock.monotonicMs());
  expect(readings).toEqual([...readings].sort((a, b) => a - b));
});
