import { expect, test } from 'vitest';
import { parseDuration } from '../../src/shared/duration.js';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['30', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1.5m', 90_000],
  ['0', 0],
  ['0.4ms', 0],
  [' 5s ', 5000],
])('"%s" is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  's',
  '-5s',
  '+5s',
  '.5s',
  '5.s',
  '1e3',
  '5 s',
  '5d',
  '5S',
  '0x10',
  'Infinity',
  'NaN',
  '5s\n5s',
  '5s5s',
])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('a number that cannot be counted in whole milliseconds is no duration', () => {
  expect(parseDuration(`${'9'.repeat(400)}h`)).toBeUndefined();
  expect(parseDuration(`${2 ** 53}s`)).toBeUndefined();
});
