/** Takes a team off Redis whole: keys, jobs, its place on the agenda; with the last one what the queues leave. */

import { Agenda } from '../../dispatch/agenda.js';
import { removeJobs, removeQueues } from '../../dispatch/clear-queues.js';
import { removeTeamKeys } from '../../events/redis/remove-team.js';
import { deadlineAfter } from '../../shared/abort.js';
import type { RedisLink } from './redis-link.js';

/**
 * Whoever serves the team meanwhile finds its log gone, and ends; nothing is made anew by it. The caller has the lease of
 * the run, whose key goes when it is given back.
 */
export async function removeTeam(link: RedisLink, id: string): Promise<void> {
  const { client, names } = link;
  await removeTeamKeys(client, names, id, [names.runLease(id)]);
  // A worker that died with a job has it for a lease at most.
  await removeJobs(link, id, deadlineAfter(2 * link.place.timing.leaseMs));
  await new Agenda(link).remove(id);
  await removeQueues(link);
}
