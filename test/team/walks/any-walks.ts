/** Walks of teams and moves that nobody has chosen: any order of commands, from any seed. */

import * as fc from 'fast-check';
import type { Tally } from './tally.js';
import { walkThrough } from './whole-walk.js';

/** How long a failure is made smaller before it is told with its seed; milliseconds. */
const SHRINKING_MS = 60_000;

/**
 * Makes so many walks; throws the first that fails, with the seed and as few moves as were found in a minute.
 * @param longest the most moves of a walk
 */
export function anyWalks(walks: number, longest: number, tally?: Tally): void {
  // A walk is a team and one seed a move: what is left of a counterexample is the moves that it needs.
  const moves = fc.noBias(fc.array(fc.integer(), { maxLength: longest, size: 'max' }));
  void fc.assert(
    fc.property(fc.integer(), moves, (team, seeds) => {
      walkThrough(team, seeds, tally);
    }),
    { numRuns: walks, interruptAfterTimeLimit: SHRINKING_MS },
  );
}
