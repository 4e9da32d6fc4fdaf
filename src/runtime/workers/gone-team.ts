/** A team that is on the agenda, or has a job in a queue, and is not there: put away meanwhile, or never begun. */

import { Agenda } from '../../dispatch/agenda.js';
import { clearing, giveBackRun, takeRun } from '../../dispatch/leases.js';
import { memberOfSize } from '../../events/redis/redis-transcripts.js';
import { CodedError } from '../../shared/errors.js';
import type { RedisLink } from '../engine/redis-link.js';
import { removeTeam } from '../engine/remove-team.js';

/** Whether an error says that nothing is recorded of a team. */
export function isGone(error: unknown): boolean {
  return error instanceof CodedError && (error.code === 'no-team' || error.code === 'log-gone');
}

/** Whether an error says that the record is not the one that this process has opened: what it knows is of no use any more. */
export function isOfAnother(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'log-lost';
}

/**
 * Takes a team without a log off the agenda, unless somebody is about to start it or to put its record back: under the lease
 * of the run, so that nobody does meanwhile. What the start of one that never began has left goes with it; memories stay,
 * which are of a team whose log was lost.
 * @returns whether it was taken off
 */
export async function takeOff(link: RedisLink, id: string): Promise<boolean> {
  const { client, names } = link;
  const clears = { ...link, holder: clearing(link.holder) };
  const taken = await takeRun(clears, id);
  if (taken.kind === 'held') return false;
  try {
    if ((await client.exists(names.log(id))) === 1) return false;
    const kept = (await client.hkeys(names.sizes(id))).some((name) => memberOfSize(name) !== undefined);
    if (kept) await new Agenda(link).remove(id);
    else await removeTeam(link, id);
    return true;
  } finally {
    await giveBackRun(clears, id, taken.lease);
  }
}
