import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineWindow } from '../../src/tools/files/line-window.js';
import { HeadTail } from '../../src/tools/head-tail.js';

test('what fits is kept whole, however it is cut into chunks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, size) => {
      const output = new HeadTail(1_000, 1_000);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size));
      expect(output.text()).toBe(bytes.toString('utf8'));
      expect(output.total).toBe(bytes.length);
    }),
  );
});

test('what does not fit loses its middle, never half a character, and says how much is gone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 40 }),
      fc.integer({ min: 8, max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      (head, tail, size) => {
        const output = new HeadTail(head, tail);
        const text = 'aü€😀'.repeat(50);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size));
        const shown = output.text();
        expect(shown).not.toContain('\uFFFD');
        const [first = '', last = ''] = shown.split(/\n… \(\d+ bytes left out\) …\n/);
        expect(text.startsWith(first)).toBe(true);
        expect(text.endsWith(last)).toBe(true);
        expect(first.length).toBeGreaterThan(0);
        expect(last.length).toBeGreaterThan(0);
        expect(Number(/\((\d+) bytes/.exec(shown)?.[1])).toBe(bytes.length - head - tail);
      },
    ),
  );
});

test('lines come out the same however their bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 9 }), (parts, size) => {
      const text = parts.map((part) => part.replace(/[\r\n]/g, '')).join('\n');
      const bytes = Buffer.from(text);
      const window = new LineWindow(1, 1_000, 1_000_000);
      for (let at = 0; at < bytes.length; at += size) window.push(bytes.subarray(at, at + size));
      const { lines, total } = window.end();
      const expected = text.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(total).toBe(expected.length);
      expect(lines.map((line) => line.text)).toEqual(
        expected.map((line) => Buffer.from(line).toString('utf8')),
      );
    }),
  );
});
