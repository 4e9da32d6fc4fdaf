/** The briefs that wait for a runner, of all teams under a prefix: for people who ask why nothing moves. */

import type { Redis } from 'ioredis';
import { isTeamId } from '../shared/ids.js';
import type { RedisNames } from '../shared/redis-names.js';
import { scanKeys } from '../shared/scan-keys.js';
import { briefOfJob } from './job.js';

export interface WaitingBrief {
  readonly team: string;
  readonly brief: string;
  /** The name of its pool of runners. */
  readonly pool: string;
}

/**
 * Those that were asked for in a queue, whose text lies there to be taken, and that no runner has: a job alone is a hint, and
 * may be of a brief that has ended. Rejects when Redis is away.
 */
export async function waitingBriefs(
  client: Pick<Redis, 'scan' | 'exists'>,
  names: RedisNames,
): Promise<readonly WaitingBrief[]> {
  const pattern = names.everyOf['queues of briefs'];
  const waiting: WaitingBrief[] = [];
  for (const key of await scanKeys(client, pattern)) {
    const [pool = '', id = ''] = key.slice(pattern.length - 1).split(':');
    const of = briefOfJob(id);
    if (of === undefined || !isTeamId(of.team) || !isTeamId(of.brief)) continue;
    const isThere = (await client.exists(names.brief(of.team, of.brief))) === 1;
    if (isThere && (await client.exists(names.taken(of.team, of.brief))) === 0) waiting.push({ ...of, pool });
  }
  return waiting;
}
