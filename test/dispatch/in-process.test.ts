import { describe, expect, test } from 'vitest';
import { InProcessDispatcher } from '../../src/dispatch/in-process.js';
import { BugError } from '../../src/shared/errors.js';
import { dispatcherContract } from '../contracts/dispatcher.js';

describe('the in-process dispatcher keeps the contract', () => {
  dispatcherContract('in process', (options) => new InProcessDispatcher(options));
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'refuses a concurrency of %s',
  (concurrency) => {
    const options = { concurrency, handler: async () => {}, onError: () => {} };
    expect(() => new InProcessDispatcher(options)).toThrow(BugError);
  },
);
