import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BugError } from '../../src/shared/errors.js';
import { jsonLine, LineSplitter } from '../../src/shared/jsonl.js';

const NO_LIMIT = 1_000_000;

/** Pushes a text cut at the given byte offsets; gives the lines and what stood after the last LF. */
function feed(splitter: LineSplitter, bytes: Buffer, cuts: readonly number[]): (string | undefined)[] {
  const lines: (string | undefined)[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    lines.push(...splitter.push(bytes.subarray(from, cut)));
    from = cut;
  }
  lines.push(splitter.end());
  return lines;
}

describe('jsonLine', () => {
  test('is one line however the value is written', () => {
    expect(jsonLine({ text: 'a\nb\r\u2028c' })).toBe('{"text":"a\\nb\\r\u2028c"}\n');
  });

  test.each([undefined, () => 1, Symbol('x')])('refuses what JSON has no word for', (value) => {
    expect(() => jsonLine(value)).toThrow(BugError);
  });

  test('what it writes is read back as one line each', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat(300)), (values, cuts) => {
        const bytes = Buffer.from(values.map(jsonLine).join(''));
        const inside = cuts.filter((cut) => cut <= bytes.length);
        const lines = feed(new LineSplitter(NO_LIMIT), bytes, inside);
        expect(lines.pop()).toBeUndefined();
        expect(lines.map((line) => JSON.parse(line ?? ''))).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });
});

describe('LineSplitter', () => {
  test('splits on LF only', () => {
    const splitter = new LineSplitter(NO_LIMIT);
    expect(splitter.push(Buffer.from('a\r\nb\u2028c\u0085d\ve\n\nrest'))).toEqual([
      'a\r',
      'b\u2028c\u0085d\ve',
      '',
    ]);
    expect(splitter.end()).toBe('rest');
    expect(splitter.end()).toBeUndefined();
  });

  test('gives the same lines however the bytes are cut', () => {
    const unit = fc.constantFrom('a', '\n', 'é', '😀', '\u2028', '\0', '\r');
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 40 }),
        fc.array(fc.nat(160), { maxLength: 20 }),
        (units, cuts) => {
          const text = units.join('');
          const bytes = Buffer.from(text);
          const lines = feed(
            new LineSplitter(NO_LIMIT),
            bytes,
            cuts.filter((cut) => cut <= bytes.length),
          );
          const expected: (string | undefined)[] = text.split('\n');
          if (expected.at(-1) === '') expected[expected.length - 1] = undefined;
          expect(lines).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('drops a line longer than its bound whole, counts it and goes on with the next, however cut', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(300), { maxLength: 20 }), (all, cuts) => {
        const maxBytes = 8;
        const bytes = Buffer.from(all.map((one) => `${one}\n`).join(''));
        const splitter = new LineSplitter(maxBytes);
        const lines = feed(
          splitter,
          bytes,
          cuts.filter((cut) => cut <= bytes.length),
        );
        const kept = all.filter((one) => Buffer.byteLength(one) <= maxBytes);
        expect(lines).toEqual([...kept, undefined]);
        expect(splitter.dropped).toBe(all.length - kept.length);
      }),
      { numRuns: 500 },
    );
  });

  test('counts a last line that is too long and has no LF', () => {
    const splitter = new LineSplitter(3);
    expect(splitter.push(Buffer.from('abc\nabcd'))).toEqual(['abc']);
    expect(splitter.end()).toBeUndefined();
    expect(splitter.dropped).toBe(1);
    expect(splitter.push(Buffer.from('ok\n'))).toEqual(['ok']);
  });

  test('keeps its own copy of what it holds back', () => {
    const splitter = new LineSplitter(NO_LIMIT);
    const chunk = Buffer.from('held');
    splitter.push(chunk);
    chunk.fill('x');
    expect(splitter.push(Buffer.from(' back\n'))).toEqual(['held back']);
  });
});
