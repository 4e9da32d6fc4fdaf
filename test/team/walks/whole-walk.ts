/** A team's life from before its start to its archive: what it hears outside, random moves, the way to its end. */

import { isResumable } from '../../../src/team/end.js';
import { Team } from '../../helpers/build-state.js';
import { driveToEnd, type Manner } from './drive.js';
import { move, OUTSIDE } from './moves.js';
import { Random } from './random.js';
import { isTight, randomStart } from './random-team.js';
import type { Tally } from './tally.js';
import { Walk } from './walk.js';

/** How a run may end when everybody does what is asked: never for want of somebody. */
const GOOD_ENDS = ['done', 'partial', 'unverified', 'failed'];

/**
 * Walks a team through its life; throws with the last commands when a promise is broken.
 * @param seed who is in the team, how it is brought to its end
 * @param moves one seed a move
 */
export function walkThrough(seed: number, moves: readonly number[], tally?: Tally): Walk {
  const random = new Random(seed);
  const walk = new Walk(new Team(), tally);
  if (random.chance(20)) outside(walk, random);
  walk.do(randomStart(random));
  const manner = random.of<Manner>('diligent', 'lazy');
  for (const seed of moves) {
    const { phase } = walk.team.state;
    const random = new Random(seed);
    if (phase.kind === 'ended' && isResumable(phase.reason, phase.cause) && random.chance(40)) walk.crash();
    move(walk, random);
    if (random.chance(1)) walk.refold();
  }
  driveToEnd(walk, random, manner);
  const { phase, run } = walk.team.state;
  if (phase.kind === 'ended') {
    if (manner === 'diligent' && run !== null && !isTight(run.limits) && !GOOD_ENDS.includes(phase.reason))
      walk.fail([`diligent members brought it to ${phase.reason}`]);
    if (random.chance(30)) walk.do({ kind: 'run.archive', by: 'operator' });
    if (random.chance(30)) outside(walk, random);
  } else if (phase.kind !== 'archived') {
    walk.fail([`the run is ${phase.kind}`]);
  }
  walk.refold();
  return walk;
}

function outside(walk: Walk, random: Random): void {
  for (let words = random.below(8); words > 0; words--) move(walk, random, OUTSIDE);
}
