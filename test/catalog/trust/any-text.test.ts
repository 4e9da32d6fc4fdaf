// What is said of every text of a file at once is what is said of each.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileVerdict, type TrustSource, verdictOnAnyText } from '../../../src/catalog/trust/judge-trust.js';
import type { RootCommits } from '../../../src/catalog/trust/repository-facts.js';

const COMMIT = 'c'.repeat(40);
const OTHER = 'd'.repeat(40);
const TEXTS = ['1:aa', '1:bb', '1:cc'];
const QUESTION = { kind: 'entry', tier: 'project', root: '/repo', path: 'a.md' } as const;

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const root = fc.constantFrom('/repo', '/other');
const path = fc.constantFrom('a.md', 'b.md');
const commit = some(fc.constantFrom(COMMIT, OTHER));
const digest = fc.constantFrom(...TEXTS);
const at = '2026-01-01T00:00:00Z';
const file = { kind: 'entry', tier: 'project' } as const;

const source: fc.Arbitrary<TrustSource> = fc
  .record({
    holder: fc.constantFrom('own' as const, 'mission' as const),
    files: fc.array(fc.record({ root, path, digest, root_commit: commit }), { maxLength: 2 }),
    places: fc.array(fc.record({ path: root, root_commit: fc.constantFrom(COMMIT, OTHER) }), {
      maxLength: 1,
    }),
    revokedFiles: fc.array(fc.record({ root: some(root), path: some(path), digest: some(digest) }), {
      maxLength: 2,
    }),
    revokedPlaces: fc.array(fc.record({ path: some(root), root_commit: commit }), { maxLength: 1 }),
  })
  .map(({ holder, files, places, revokedFiles, revokedPlaces }) => ({
    holder,
    shown: 'trust.yaml',
    file: {
      files: files.map((one) => ({ ...file, ...one, approver: 'ann', at })),
      places: places.map((one) => ({ ...one, approver: 'ann', at })),
      revokedFiles: revokedFiles.map((one) => ({ ...file, ...one, revoker: 'bob', at })),
      revokedPlaces: revokedPlaces.map((one) => ({ ...one, revoker: 'bob', at })),
    },
  }));

const commits: fc.Arbitrary<RootCommits> = fc.constantFrom(
  { kind: 'known', commits: [COMMIT] } as const,
  { kind: 'unknown', why: 'no git' } as const,
);

test('it is the verdict on each text, or that the text matters', async () => {
  const seen = { said: 0, depends: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(source, { maxLength: 3 }), commits, async (sources, known) => {
      const verdict = verdictOnAnyText(QUESTION, known, sources);
      seen[verdict === null ? 'depends' : 'said']++;
      if (verdict === null) return;
      for (const text of [...TEXTS, '1:dd']) {
        expect(fileVerdict({ ...QUESTION, digest: text }, known, sources)).toEqual(verdict);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(seen.said).toBeGreaterThan(200);
  expect(seen.depends).toBeGreaterThan(200);
});
