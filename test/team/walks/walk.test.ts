import { test } from 'vitest';
import { anyWalks } from './any-walks.js';

/** A first look; `test/faults/any-order.test.ts` walks on from here. */
test('any order of commands with crashes between any two keeps the invariants and comes to an end', () => {
  anyWalks(20, 300);
});
