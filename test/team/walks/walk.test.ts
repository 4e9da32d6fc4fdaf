import * as fc from 'fast-check';
import { test } from 'vitest';
import { walkThrough } from './whole-walk.js';

/** A first look; `test/faults/any-order.test.ts` walks on from here. */
test('any order of commands with crashes between any two keeps the invariants and comes to an end', () => {
  const moves = fc.noBias(fc.array(fc.integer(), { maxLength: 300, size: 'max' }));
  void fc.assert(
    fc.property(fc.integer(), moves, (team, seeds) => {
      walkThrough(team, seeds);
    }),
    { numRuns: 60 },
  );
});
