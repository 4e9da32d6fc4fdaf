/** A command about what is on a Redis: its house and the place, or what was in the way. */

import type { House, RedisPlace } from '../runtime/house.js';
import { FatalError, UserError } from '../shared/errors.js';
import { houseOf } from './build-house.js';
import type { Call } from './call.js';
import { noRedis } from './no-redis.js';
import { refuse } from './refusal.js';

/**
 * Runs it.
 * @param why what is refused where no Redis is named
 */
export async function onRedis(
  call: Call,
  why: string,
  command: (house: House, redis: RedisPlace) => Promise<number>,
): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { redis } = house.value;
  if (redis === null) return refuse(program, [noRedis(why)]);
  try {
    return await command(house.value, redis);
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const remedy = 'bnerd doctor says what is the matter';
    const finding = { code, severity: 'error', path: redis.address.shown, message, remedy } as const;
    return refuse(program, [finding], 'text', 1);
  }
}
