import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyState } from '../../src/team/copy-state.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { emptyState, type TeamState } from '../../src/team/state.js';
import { stateDigest } from '../../src/team/state-digest.js';
import { sameState, Team } from '../helpers/build-state.js';
import { walkThrough } from './walks/whole-walk.js';

describe('a copy of a state', () => {
  test('goes on alone: of any walk each state stays what it was, and the last copy is what the record folds to', () => {
    const moves = fc.noBias(fc.array(fc.integer(), { maxLength: 150, size: 'max' }));
    void fc.assert(
      fc.property(fc.integer(), moves, (team, seeds) => {
        const walk = walkThrough(team, seeds);
        let state: TeamState = emptyState();
        const before: { readonly state: TeamState; readonly digest: string }[] = [];
        for (const entry of walk.team.kept()) {
          before.push({ state, digest: stateDigest(state) });
          state = evolveEntry(copyState(state), entry);
        }
        expect(
          before.filter((one) => stateDigest(one.state) !== one.digest).map((one) => one.state.next),
        ).toEqual([]);
        expect(sameState(state, walk.team.state)).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  test('does not change with what it was taken of', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    const copy = copyState(team.state);
    const digest = stateDigest(copy);
    expect(digest).toBe(stateDigest(team.state));
    team.idles('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    team.mail('worker', 'lead');
    expect(stateDigest(copy)).toBe(digest);
    expect(stateDigest(team.state)).not.toBe(digest);
  });
});
