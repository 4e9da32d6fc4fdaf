/** How a script is run: by its digest, and with its text only where the server does not know it yet. */

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { errorText } from '../../shared/errors.js';

export interface RedisScript {
  readonly lua: string;
  /** The name under which a server keeps it: SHA-1 of its text, as Redis has it. */
  readonly sha: string;
}

/** A script by its text. */
export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** Runs it once. A server that does not know it has done nothing, so sending its text then is no second time. */
export async function runScript(
  client: Redis,
  { lua, sha }: RedisScript,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  try {
    return await client.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!errorText(error).startsWith('NOSCRIPT')) throw error;
    return client.eval(lua, keys.length, ...keys, ...args);
  }
}
