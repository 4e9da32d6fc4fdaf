/** What the doctor looks at under our prefix of a Redis: whose it is, who serves it, which teams nobody serves. */

import { Agenda } from '../../dispatch/agenda.js';
import type { LiveWorker } from '../../dispatch/presence.js';
import { isLive, liveWorkers } from '../../dispatch/presence.js';
import { errorText } from '../../shared/errors.js';
import type { RedisLink } from '../engine/redis-link.js';
import { type Check, well } from './check.js';

/** Most ids that one line names. */
const NAMED = 10;

/** Teams that are looked at: the longest overdue first. */
const LOOKED_AT = 1_000;

/** Looks at what is under the prefix. @param version of this program */
export async function prefixChecks(link: RedisLink, version: string): Promise<readonly Check[]> {
  return [
    await tenantCheck(link),
    ...workerChecks(await liveWorkers(link), link, version),
    await teamsCheck(link),
  ];
}

/** Who may log in may read and write every prefix that his user is not kept from: whether it is, the server is asked. */
async function tenantCheck({ client, names }: RedisLink): Promise<Check> {
  const check = 'redis-tenant';
  const wanted = "users of its own for each circle of people who may see each other's teams";
  const user = await client.call('ACL', 'WHOAMI').then(String, () => null);
  const as = `prefix "${names.prefix}"${user === null ? '' : `, as the user ${user}`}`;
  if (await isKept(client, names.outside))
    return well(check, `${as}, who may read and write nothing outside of it`, wanted);
  const found =
    `${as}: whoever reaches the server as this user reads and writes all of it; ` +
    'without users for each prefix the whole server is one circle of trust';
  const remedy = 'where others use the server as well: give it the users that bnerd doctor --acl prints';
  return { check, state: 'warning', found, wanted, remedy };
}

async function isKept(client: RedisLink['client'], outside: string): Promise<boolean> {
  try {
    await client.exists(outside);
    return false;
  } catch (error) {
    if (/^NOPERM\b/.test(errorText(error))) return true;
    throw error;
  }
}

function workerChecks(
  workers: readonly LiveWorker[],
  { place }: RedisLink,
  version: string,
): readonly Check[] {
  const wanted = 'workers that progress, of one version';
  if (workers.length === 0) {
    const found = 'none: turns are taken by the processes that run a team, and by nobody when these are gone';
    return [{ check: 'workers', state: 'warning', found, wanted, remedy: 'start one with bnerd worker' }];
  }
  return workers.map((worker): Check => {
    const { id, host, pid, pools, providers, running, slots, silentMs } = worker;
    const keys = providers.length === 0 ? 'no provider' : providers.join(', ');
    const found = `${id} (pid ${pid} on ${host}): ${pools.join(', ')}; ${keys}; version ${worker.version}; ${running} of ${slots} turns`;
    if (silentMs > place.timing.leaseMs) {
      const silent = `${found}; its queue has not answered it for ${Math.round(silentMs / 1_000)} s`;
      return { check: 'workers', state: 'error', found: silent, wanted, remedy: 'end it and start it again' };
    }
    if (worker.version === version) return well('workers', found, wanted);
    const remedy = `this is ${version}: bring both to one version`;
    return { check: 'workers', state: 'warning', found, wanted, remedy };
  });
}

/** Teams whose time to be looked at has passed for longer than whoever serves them may be silent. */
async function teamsCheck(link: RedisLink): Promise<Check> {
  const { place } = link;
  const agenda = new Agenda(link);
  const overdue = await agenda.overdue(place.timing.leaseMs, LOOKED_AT);
  const left: string[] = [];
  for (const team of overdue) if (!(await isLive(link, team))) left.push(team);
  const wanted = 'none that is due and that nobody serves';
  if (left.length === 0) return well('teams', 'none is left alone', wanted);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return {
    check: 'teams',
    state: 'error',
    found: `due and served by nobody: ${left.slice(0, NAMED).join(', ')}${more}`,
    wanted,
    remedy: 'start a worker, or go on with each: bnerd team resume <id>; or end it: bnerd team stop <id>',
  };
}
