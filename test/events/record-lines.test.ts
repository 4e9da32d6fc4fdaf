import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRows } from '../../src/events/record-lines.js';
import { jsonLine } from '../../src/shared/jsonl.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

test('whole lines are rows with their number and the offset behind them', () => {
  expect(parseRows(bytes('{"a":1}\n"é"\n'))).toEqual({
    rows: [
      { value: { a: 1 }, line: 1, end: 8 },
      { value: 'é', line: 2, end: 13 },
    ],
    bad: [],
    goodBytes: 13,
  });
});

test('an empty file has no rows and no tail', () => {
  expect(parseRows(bytes(''))).toEqual({ rows: [], bad: [], goodBytes: 0 });
});

test('bytes behind the last line break are a torn tail, even when they are whole JSON', () => {
  const { rows, goodBytes, torn } = parseRows(bytes('1\n{"a":1}'));
  expect(rows).toHaveLength(1);
  expect(goodBytes).toBe(2);
  expect(torn).toEqual({ line: 2, bytes: Buffer.from('{"a":1}') });
});

test.each([
  ['no JSON', Buffer.from('{"a":\n')],
  ['NUL bytes', Buffer.from('\0\0\0\0\n')],
  [
    'half a character',
    Buffer.concat([Buffer.from('"'), Buffer.from('é').subarray(0, 1), Buffer.from('"\n')]),
  ],
  ['nothing', Buffer.from('\n')],
])('a last line of %s is torn although it has its line break', (_what, last) => {
  const { rows, bad, goodBytes, torn } = parseRows(Buffer.concat([Buffer.from('1\n'), last]));
  expect({ rows: rows.length, bad, goodBytes }).toEqual({ rows: 1, bad: [], goodBytes: 2 });
  expect(torn).toEqual({ line: 2, bytes: last });
});

test.each([
  ['is not JSON', Buffer.from('{"a":\n')],
  ['holds NUL bytes', Buffer.from('\0\0{"a":1}\n')],
  ['is not UTF-8', Buffer.from([0x22, 0xc3, 0x22, 0x0a])],
  ['is empty', Buffer.from('\n')],
])('a line before others that %s is bad, and the others are read', (reason, middle) => {
  const { rows, bad, torn } = parseRows(Buffer.concat([Buffer.from('1\n'), middle, Buffer.from('3\n')]));
  expect(rows.map(({ value, line }) => [value, line])).toEqual([
    [1, 1],
    [3, 3],
  ]);
  expect(bad).toEqual([{ line: 2, reason }]);
  expect(torn).toBeUndefined();
});

test('only the unfinished line is torn: a bad one before it is damage', () => {
  const { bad, torn } = parseRows(bytes('1\nnope\n{"half'));
  expect(bad).toEqual([{ line: 2, reason: 'is not JSON' }]);
  expect(torn?.line).toBe(3);
});

test('lines are split at LF alone, not at what else Unicode calls a line end', () => {
  const value = { text: 'a\u2028b\u2029c\u0085d\r\n' };
  expect(parseRows(bytes(jsonLine(value))).rows.map((row) => row.value)).toEqual([value]);
});

test('cut anywhere, a file gives the rows of its whole lines and the rest as its tail', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.nat(), (values, at) => {
      const whole = bytes(values.map(jsonLine).join(''));
      const cut = whole.subarray(0, at % (whole.length + 1));
      const { rows, bad, goodBytes, torn } = parseRows(cut);
      const lines = Buffer.from(cut).filter((byte) => byte === 10).length;
      expect(rows.map(({ value }) => JSON.stringify(value))).toEqual(
        values.slice(0, lines).map((value) => JSON.stringify(value)),
      );
      expect(bad).toEqual([]);
      expect(goodBytes + (torn?.bytes.length ?? 0)).toBe(cut.length);
    }),
  );
});

test('any bytes are read without a throw, and nothing of them is lost', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
      const { rows, bad, goodBytes, torn } = parseRows(noise);
      expect(goodBytes + (torn?.bytes.length ?? 0)).toBe(noise.length);
      const ended = noise.subarray(0, goodBytes).filter((byte) => byte === 10).length;
      expect(rows.length + bad.length).toBe(ended);
    }),
  );
});
