import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isResumable } from '../../src/team/end.js';
import { driveToEnd, type Manner } from './drive.js';
import { move } from './moves.js';
import { Random } from './random.js';
import { randomTeam, Walk } from './walk.js';

const WALKS = 100;
const STEPS = 200;

/** How a run may end when everybody does what is asked: never for want of somebody. */
const GOOD_ENDS = ['done', 'partial', 'unverified', 'failed'];

/** One walk of so many random moves, then on to its end. The seed repeats it. */
function walk(seed: number, steps: number, manner: Manner): Walk {
  const random = new Random(seed);
  const walk = new Walk(randomTeam(random));
  for (let step = 0; step < steps; step++) {
    const { phase } = walk.team.state;
    if (phase.kind === 'ended' && !isResumable(phase.reason, phase.cause) && random.chance(30)) break;
    if (phase.kind === 'ended' && random.chance(40)) walk.crash();
    move(walk, random);
    if (random.chance(1)) walk.refold();
  }
  driveToEnd(walk, random, manner);
  walk.refold();
  return walk;
}

test.each<Manner>(['diligent', 'lazy'])(
  'any order of commands with crashes between any two keeps the invariants, and %s members bring it to an end',
  { timeout: 60_000 },
  (manner) => {
    void fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { phase } = walk(seed, STEPS, manner).team.state;
        if (phase.kind !== 'ended') throw new Error(`the run is ${phase.kind}`);
        if (manner === 'diligent') expect(GOOD_ENDS).toContain(phase.reason);
      }),
      { numRuns: WALKS / 2, endOnFailure: true },
    );
  },
);
