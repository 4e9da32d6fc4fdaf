/**
 * Deletes what Redis holds of a team. The log first: from then on nothing of the team is written any more, for every other
 * write of it asks for the log (`append-script`, `guarded-script`), and who writes the log makes no stream anew.
 */

import type { Redis } from 'ioredis';
import type { RedisNames } from '../../shared/redis-names.js';
import { scanKeys } from '../../shared/scan-keys.js';

/** Keys of one command: a server deletes them in one step. */
const AT_ONCE = 500;

/**
 * Deletes every key of a team, and looks until there is none.
 * @param but stays: the lease under which this is done
 */
export async function removeTeamKeys(
  client: Redis,
  names: RedisNames,
  team: string,
  but: readonly string[] = [],
): Promise<void> {
  await client.unlink(names.log(team));
  for (;;) {
    const keys = (await scanKeys(client, names.everyKeyOf(team))).filter((key) => !but.includes(key));
    if (keys.length === 0) return;
    for (let at = 0; at < keys.length; at += AT_ONCE) await client.unlink(...keys.slice(at, at + AT_ONCE));
  }
}
