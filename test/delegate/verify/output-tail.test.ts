import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputTail } from '../../../src/delegate/verify/output-tail.js';

test('a short output is kept whole', () => {
  const tail = new OutputTail(10);
  for (const part of ['a', '', 'bü']) tail.push(Buffer.from(part));
  expect(tail.text()).toBe('abü');
  expect(tail.total).toBe(4);
});

test('however it comes in pieces, the tail is the end of it, in whole characters, and says what is missing', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀', '\n'), maxLength: 200 });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 4, max: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (all, kept, piece) => {
        const bytes = Buffer.from(all);
        const tail = new OutputTail(kept);
        for (let at = 0; at < bytes.length; at += piece) tail.push(bytes.subarray(at, at + piece));
        const shown = tail.text();
        if (bytes.length <= kept) return shown === all;
        const [, missing = '', end = ''] = /^… \((\d+) bytes left out\)\n(.*)$/s.exec(shown) ?? [];
        const whole = Number(missing) + Buffer.byteLength(end) === bytes.length;
        return (
          whole && all.endsWith(end) && Buffer.byteLength(end) > kept - 4 && Buffer.byteLength(end) <= kept
        );
      },
    ),
  );
});
