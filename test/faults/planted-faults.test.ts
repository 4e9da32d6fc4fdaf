/**
 * The walks look: each fault of `test/team/walks/planted.ts` is put into the source, in memory, and a walk must break the
 * invariant that it touches.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, createServerModuleRunner, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLANTED, type Planted } from '../team/walks/planted.js';
import { Random } from '../team/walks/random.js';

const ROOT = join(import.meta.dirname, '../..');
const TEAM = join(ROOT, 'src/team');

/** Walks until a fault must have been seen, and the moves of each. */
const WALKS = 250;
const MOVES = 250;

type WholeWalk = typeof import('../team/walks/whole-walk.js');

/** What is planted in the source as it is read now. */
let planted: Planted | undefined;

/** Reads the source once: what a fault does not touch is the same for all. */
let server: ViteDevServer;

beforeAll(async () => {
  server = await createServer({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
    plugins: [
      {
        name: 'plant',
        enforce: 'pre',
        transform: (code, id) => {
          if (planted === undefined || id !== placeOf(planted)) return undefined;
          const { find, put } = planted;
          return code.replace(find, () => put);
        },
      },
    ],
  });
});

afterAll(() => server.close());

function placeOf({ file }: Planted): string {
  return join(TEAM, file);
}

/** The walk over a source in which one thing is wrong. */
async function faulty(fault: Planted): Promise<WholeWalk['walkThrough']> {
  const { ssr } = server.environments;
  const fresh = (): void => ssr.moduleGraph.onFileChange(placeOf(fault));
  const runner = createServerModuleRunner(ssr, { hmr: false });
  planted = fault;
  fresh();
  try {
    const module = await runner.import<WholeWalk>(join(ROOT, 'test/team/walks/whole-walk.ts'));
    return module.walkThrough;
  } finally {
    await runner.close();
    planted = undefined;
    fresh();
  }
}

/** What the first walk says that breaks this promise, else the first that fails by another; undefined when none does. */
function failureOf(promise: RegExp, walkThrough: WholeWalk['walkThrough']): string | undefined {
  let other: string | undefined;
  for (let seed = 1; seed <= WALKS; seed++) {
    const random = new Random(seed);
    const moves = Array.from({ length: MOVES }, () => random.below(2 ** 31));
    try {
      walkThrough(seed, moves);
    } catch (error) {
      const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\nafter:');
      if (promise.test(said)) return said;
      other ??= said;
    }
  }
  return other;
}

describe('a planted fault is seen', () => {
  test.each(PLANTED)('$breaks: $does', { timeout: 300_000 }, async (planted) => {
    const source = await readFile(placeOf(planted), 'utf8');
    expect(source.split(planted.find)).toHaveLength(2);
    const promise = new RegExp(`^${planted.breaks}: `, 'm');
    expect(failureOf(promise, await faulty(planted))).toMatch(promise);
  });

  test('one for each rule that the walks look at', () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(20);
    expect(new Set(PLANTED.map(({ breaks }) => breaks))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 'L', 'P']),
    );
  });
});
