import { defineConfig } from 'vitest/config';

// Two projects: `fast` is everything that needs no built program and no kill; `whole` is the rest.
const whole = ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts', 'test/cases/**/*.test.ts'];

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // The default leaves a core to the editor; a machine that only tests has no use for that.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        // Bounds for a loaded machine, not measures: a test that hangs is ended, none is timed.
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...whole, '**/node_modules/**'],
          testTimeout: 60_000,
        },
      },
      { extends: true, test: { name: 'whole', include: whole, testTimeout: 120_000, hookTimeout: 60_000 } },
    ],
  },
});
