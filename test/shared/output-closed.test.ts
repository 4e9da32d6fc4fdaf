import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { closedWithin } from '../../src/shared/output-closed.js';

test('an output that closes, or has closed before, is waited for no longer', async () => {
  const output = new PassThrough();
  const closed = closedWithin(output, 60_000);
  output.destroy();
  await closed;
  await closedWithin(output, 60_000);
  expect(output.listenerCount('close')).toBe(0);
});

test('one that is held open is given up after its grace, and left as it is', async () => {
  const output = new PassThrough();
  await closedWithin(output, 1);
  expect(output.closed).toBe(false);
  expect(output.listenerCount('close')).toBe(0);
});
