/**
 * The walks look: each fault of `test/team/walks/planted.ts` is put into the source, in memory, and a walk must break the
 * invariant that it touches.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { describe, expect, test } from 'vitest';
import { PLANTED, type Planted } from '../team/walks/planted.js';
import { Random } from '../team/walks/random.js';

const ROOT = join(import.meta.dirname, '../..');
const TEAM = join(ROOT, 'src/team');

/** Walks until a fault must have been seen, and the moves of each. */
const WALKS = 150;
const MOVES = 250;

type WholeWalk = typeof import('../team/walks/whole-walk.js');

/** The walk over a source in which one thing is wrong. */
async function faulty({ file, find, put }: Planted): Promise<WholeWalk['walkThrough']> {
  const place = join(TEAM, file);
  const { module } = await runnerImport<WholeWalk>(join(ROOT, 'test/team/walks/whole-walk.ts'), {
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    plugins: [
      {
        name: 'plant',
        enforce: 'pre',
        transform: (code, id) => (id === place ? code.replace(find, () => put) : undefined),
      },
    ],
  });
  return module.walkThrough;
}

/** What the first walk that fails says; undefined when none of them does. */
function firstFailure(walkThrough: WholeWalk['walkThrough']): string | undefined {
  for (let seed = 1; seed <= WALKS; seed++) {
    const random = new Random(seed);
    const moves = Array.from({ length: MOVES }, () => random.below(2 ** 31));
    try {
      walkThrough(seed, moves);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return undefined;
}

describe('a planted fault is seen', () => {
  test.each(PLANTED)('$breaks: $does', { timeout: 300_000 }, async (planted) => {
    const source = await readFile(join(TEAM, planted.file), 'utf8');
    expect(source.split(planted.find)).toHaveLength(2);
    const said = firstFailure(await faulty(planted));
    expect(said?.split('\nafter:')[0]).toMatch(new RegExp(`^${planted.breaks}: `, 'm'));
  });

  test('one for each rule that the walks look at', () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(20);
    expect([...new Set(PLANTED.map(({ breaks }) => breaks))].sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 7, 9, 11, 14,
    ]);
  });
});
