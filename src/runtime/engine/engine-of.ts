/** Which engine keeps the teams of a house: files, or the Redis that it was told of; a team is where its record is. */

import type { House } from '../house.js';
import type { Engine } from './engine.js';
import { FileEngine } from './files.js';

/** The engine of a house. Opens nothing: what an engine needs is opened when it is asked for something. */
export async function engineOf(house: House): Promise<Engine> {
  if (house.redis === null) return new FileEngine(house);
  // Loaded only where it is meant: nothing of Redis is there for who does without.
  const { RedisEngine } = await import('./redis.js');
  return new RedisEngine(house, house.redis);
}
