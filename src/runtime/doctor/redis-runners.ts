/** What the doctor looks at of the runners under our prefix of a Redis: who serves which pool, and whose results count here. */

import { DEFAULT_POOL } from '../../dispatch/job.js';
import { type LiveRunner, liveRunners } from '../../dispatch/runners.js';
import { type WaitingBrief, waitingBriefs } from '../../dispatch/waiting-briefs.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { KeyRing } from '../key-ring.js';
import { type Check, well } from './check.js';
import { SKEW_MS } from './redis-server.js';

/** Most briefs that one line names. */
const NAMED = 10;

/** Looks at each runner, and for pools that briefs wait in and nobody serves. @param version of this program */
export async function runnerChecks(
  link: RedisLink,
  version: string,
  { known }: Pick<KeyRing, 'known'>,
): Promise<readonly Check[]> {
  const runners = await liveRunners(link);
  const { leaseMs } = link.place.timing;
  const accepted = known.filter(({ role, retired }) => role === 'runner' && !retired).map(({ id }) => id);
  return [
    ...runners.map((runner) => runnerCheck(runner, { version, leaseMs, accepted })),
    ...poolChecks(await waitingBriefs(link.client, link.names), runners),
  ];
}

interface Wanted {
  readonly version: string;
  readonly leaseMs: number;
  /** Ids of the keys of runners that count here. */
  readonly accepted: readonly string[];
}

/** The worst of what is found of a runner. Pure. */
function runnerCheck(runner: LiveRunner, { version, leaseMs, accepted }: Wanted): Check {
  const { id, host, pid, pools, running, slots, silentMs, skewMs, key, keyId } = runner;
  const wanted =
    'runners that progress, of one version, with the clock of the server, whose keys are accepted here';
  const what = `${id} (pid ${pid} on ${host}): ${pools.join(', ')}; version ${runner.version}; ${running} of ${slots} briefs`;
  const found = (state: 'warning' | 'error', why: string, remedy: string): Check => {
    return { check: 'runners', state, found: `${what}; ${why}`, wanted, remedy };
  };
  const seconds = (ms: number): number => Math.round(Math.abs(ms) / 1_000);
  if (silentMs > leaseMs)
    return found(
      'error',
      `its queue has not answered it for ${seconds(silentMs)} s`,
      'end it and start it again',
    );
  if (Math.abs(skewMs) > SKEW_MS) {
    const side = skewMs > 0 ? 'ahead of' : 'behind';
    return found('error', `its clock is ${seconds(skewMs)} s ${side} the server`, `set the clock of ${host}`);
  }
  if (!accepted.includes(keyId))
    return found(
      'warning',
      `its key ${keyId} is not accepted here: teams of this home take no result of it`,
      `if you know whose it is: bnerd keys accept ${key} --name ${id}`,
    );
  if (runner.version === version) return well('runners', what, wanted);
  return found('warning', 'another version', `this is ${version}: bring both to one version`);
}

/** A line for each pool that waits in vain; one for all when there is neither such a pool nor a runner. Pure. */
function poolChecks(waiting: readonly WaitingBrief[], runners: readonly LiveRunner[]): readonly Check[] {
  const wanted = 'a runner for each pool in which briefs wait';
  const served = runners.filter(({ draining }) => !draining).flatMap(({ pools }) => pools);
  const unserved = waiting.filter(({ pool }) => !served.includes(pool));
  if (unserved.length === 0 && runners.length === 0)
    return [well('runners', 'none is there, and no brief waits for one', wanted)];
  return [...new Set(unserved.map(({ pool }) => pool))].sort().map((pool): Check => {
    const briefs = unserved.filter((brief) => brief.pool === pool).map(({ brief }) => brief);
    const found = `pool ${pool} has no runner, and for one wait ${briefs.slice(0, NAMED).join(', ')}`;
    const start = pool === DEFAULT_POOL ? 'bnerd runner' : `bnerd runner --pool ${pool}`;
    const remedy = `start one where its engineers are: ${start}`;
    return { check: 'runners', state: 'error', found, wanted, remedy };
  });
}
