import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSnapshot, snapshotText } from '../../src/state/snapshot.js';
import { fold } from '../../src/state/team-store.js';
import { wallsOf } from '../../src/state/walls.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { walkThrough } from '../team/walks/whole-walk.js';

const WALLS = { first: '2026-01-01T00:00:00.000Z', newest: '2026-01-02T00:00:00.000Z' };

test('whatever a team has lived through, its state goes on from a snapshot of any moment as without one', () =>
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.nat(), { minLength: 20, maxLength: 120 }),
      fc.nat(),
      (seed, moves, nat) => {
        const { entries } = walkThrough(seed, moves).team;
        const cut = nat % (entries.length + 1);
        const before = fold(entries.slice(0, cut));
        const walls = wallsOf(entries) ?? WALLS;
        const kept = readSnapshot(snapshotText({ state: before, walls }));
        expect(kept).toEqual({ state: before, walls });
        let state = kept?.state ?? before;
        for (const entry of entries.slice(cut)) state = evolveEntry(state, entry);
        expect(state).toEqual(fold(entries));
      },
    ),
    { numRuns: 25 },
  ));

test('any value comes back as it was, also one that looks like the marks', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('$map', '$set', '$object', '$number', '__proto__'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, Number.POSITIVE_INFINITY, Number.NaN, '', '$map'),
      fc.integer(),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(tie('value'), { maxLength: 3 }).map((values) => new Set(values)),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
    ),
  }));
  fc.assert(
    fc.property(value, (state) => {
      expect(readSnapshot(snapshotText({ state: state as never, walls: WALLS }))).toEqual({
        state,
        walls: WALLS,
      });
    }),
  );
});

test('what is no snapshot is none', () => {
  expect(readSnapshot('{"state":')).toBeUndefined();
  expect(readSnapshot('{"state":{"$map":7}}')).toBeUndefined();
});
