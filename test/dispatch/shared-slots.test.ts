import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedSlots } from '../../src/dispatch/shared-slots.js';
import { until } from '../helpers/until.js';

test('there are so many slots, for whichever pools', () => {
  const slots = new SharedSlots(2);
  expect([slots.take('a'), slots.take('b'), slots.take('a')]).toEqual([true, true, false]);
  slots.release();
  expect([slots.take('b'), slots.take('a')]).toEqual([true, false]);
});

test('the next free slot is kept for the pool that rests, first come first served', () => {
  const slots = new SharedSlots(1);
  slots.take('a');
  const woken: string[] = [];
  for (const pool of ['b', 'c']) slots.rest(pool, () => woken.push(pool));
  expect(slots.isResting('b')).toBe(true);
  slots.release();
  expect(woken).toEqual(['b']);
  expect([slots.isResting('b'), slots.take('a'), slots.take('c'), slots.take('b')]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  slots.release();
  expect(woken).toEqual(['b', 'c']);
  slots.close();
});

test('a slot that its pool does not use is free again', async () => {
  const slots = new SharedSlots(1);
  slots.take('a');
  slots.rest('b', () => {});
  slots.release();
  expect(slots.take('a')).toBe(false);
  await until(() => slots.take('a'), { what: 'the kept slot is free' });
});

test('whatever happens, never more are taken than there are, and none is lost', () => {
  const step = fc.record({ pool: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() });
  void fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), (count, steps) => {
      const slots = new SharedSlots(count);
      let taken = 0;
      for (const { pool, ends } of steps) {
        if (ends && taken > 0) {
          taken--;
          slots.release();
        } else if (slots.take(pool)) taken++;
        else slots.rest(pool, () => {});
        expect(taken).toBeLessThanOrEqual(count);
      }
      while (taken-- > 0) slots.release();
      // All are free or kept for somebody: the three pools together find every one.
      let found = 0;
      for (const pool of ['a', 'b', 'c']) while (slots.take(pool)) found++;
      expect(found).toBe(count);
      slots.close();
    }),
  );
});
