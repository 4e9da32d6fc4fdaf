import { expect, test } from 'vitest';
import { ServerClock } from '../../../src/events/redis/server-clock.js';

test('time goes on with the monotonic clock from what the server said last, forwards or backwards', () => {
  let monotonic = 50;
  const clock = new ServerClock({ monotonicMs: () => monotonic }, 1_000_000);
  expect(clock.wallMs()).toBe(1_000_000);
  monotonic += 250.5;
  expect(clock.wallMs()).toBe(1_000_250);
  clock.heard(1_003_600);
  expect(clock.wallMs()).toBe(1_003_600);
  monotonic += 10;
  expect(clock.wallMs()).toBe(1_003_610);
  clock.heard(400_000);
  expect(clock.wallMs()).toBe(400_000);
  expect(clock.monotonicMs()).toBe(monotonic);
});
