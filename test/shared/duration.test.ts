import { describe, expect, test } from 'vitest';
import { durationText, parseDuration } from '../../src/shared/duration.js';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['30', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
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
  '5w',
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

describe('durations in words', () => {
  test.each([
    [0, '0 ms'],
    [50.4, '50 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [59_999, '59 s'],
    [312_000, '5 min 12 s'],
    [3_600_000, '1 h'],
    [7_512_345, '2 h 5 min 12 s'],
  ])('%d milliseconds: %s', (ms, words) => {
    expect(durationText(ms)).toBe(words);
  });
});
