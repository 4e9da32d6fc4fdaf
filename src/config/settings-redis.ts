/**
 * The section `redis` of the settings file: how a Redis is trusted that is reached with TLS, and what has to have an entry
 * before somebody acts on it (spec/engine.md §1, §3). Where the Redis is never stands here: it is said for each process.
 */

import { z } from 'zod';
import type { SettingsRedis } from './settings.js';
import { DURABILITIES } from './settings-keys.js';
import type { Written } from './written.js';

const path = z.string().trim().min(1);

/** Keys of the section, for the shape of the whole file. */
export const REDIS_SECTION = {
  redis: z
    .strictObject({
      ca: path.optional(),
      cert: path.optional(),
      key: path.optional(),
      durability: z.enum(DURABILITIES).optional(),
    })
    .refine(
      ({ cert, key }) => (cert === undefined) === (key === undefined),
      'cert and key together, or neither: a certificate is of no use without its key',
    )
    .optional(),
};

const section = z.object(REDIS_SECTION);

/** The section in working shape. */
export function redisSettings(
  { redis = {} }: z.infer<typeof section>,
  at: (path: readonly PropertyKey[], words: string) => Written,
): SettingsRedis {
  const file = (name: 'ca' | 'cert' | 'key'): Written | null => {
    const words = redis[name];
    return words === undefined ? null : at(['redis', name], words);
  };
  return { ca: file('ca'), cert: file('cert'), key: file('key'), durability: redis.durability ?? null };
}
