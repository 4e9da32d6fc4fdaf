import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBytes } from '../../src/skills/byte-order.js';

test('the order is that of the UTF-8 bytes, whatever the letters', async () => {
  const unit = fc.oneof(
    fc.constantFrom(
      'a',
      'B',
      '-',
      'é',
      '\ud800',
      '\udc00',
      '\ud83d',
      '\ude00',
      '\uffff',
      '\ufffd',
      '\u{1F600}',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  );
  const text = fc.array(unit, { maxLength: 4 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, text, async (left, right) => {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(compareBytes(left, right))).toBe(bytes);
    }),
    { numRuns: 5_000 },
  );
});
