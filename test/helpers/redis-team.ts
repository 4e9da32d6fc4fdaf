/** Houses whose teams are kept on a test's own Redis, with leases so short that a test can wait for them. */

import type { LeaseTiming } from '../../src/dispatch/lease-keeper.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import type { RedisPlace } from '../../src/runtime/house.js';
import type { TestRedis } from './redis.js';
import type { TestHouse } from './team.js';

export const SHORT_LEASES: LeaseTiming = { leaseMs: 2_000, beatMs: 200, graceMs: 400 };

/** The place that a house keeps its teams in. */
export function redisPlace(redis: TestRedis, more: Partial<RedisPlace> = {}): RedisPlace {
  const { url, names } = redis;
  return {
    address: redisAddress(url),
    names,
    timing: SHORT_LEASES,
    takesTurns: true,
    saidBy: 'flag',
    repositories: { allowed: [], env: {} },
    signed: 'with a key',
    ...more,
  };
}

/** The same house, its teams on Redis. */
export function onRedis(at: TestHouse, redis: TestRedis, more: Partial<RedisPlace> = {}): TestHouse {
  return { ...at, house: { ...at.house, redis: redisPlace(redis, more) } };
}
