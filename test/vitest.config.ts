import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { endToEnd, ON_BOTH } from './helpers/engine-files.js';
import { hasServer } from './helpers/has-server.js';
import { ALONE, LongFirst, WHOLE } from './order.js';

const HAS_REDIS = process.env['BNERD_TEST_REDIS_URL'] !== undefined || hasServer('redis-server');

// `fast` is everything that needs no built program and no kill, `whole` the rest; the files of each follow each other in
// processes that have loaded our modules once. `redis` is what of `whole` runs on a Redis as well. `alone` are those that
// need a process of their own. Times are bounds for a loaded machine, not measures: a test that hangs is ended, none is
// timed.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // Two for each core and one more: most tests wait, for a program, a disk or a timer, for more than half of their time
    // (CPU seconds of the whole suite against its length with one more than there are cores: 58 %).
    maxWorkers: 2 * availableParallelism() + 1,
    isolate: false,
    // The built program is loaded as Node loads it.
    server: { deps: { external: [/\/dist\//] } },
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...WHOLE, ...ALONE, '**/node_modules/**'],
          testTimeout: 120_000,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true, testTimeout: 120_000 } },
      {
        extends: true,
        test: {
          name: 'redis',
          // Without one `engine-files.test.ts` says by name what is not tested.
          include: HAS_REDIS ? ON_BOTH.map(endToEnd) : [],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          provide: { engine: 'redis' },
          globalSetup: 'test/helpers/redis-for-run.ts',
        },
      },
      {
        extends: true,
        test: { name: 'whole', include: WHOLE, exclude: ALONE, testTimeout: 120_000, hookTimeout: 60_000 },
      },
    ],
  },
});
