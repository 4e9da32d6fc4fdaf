/** `bnerd doctor`: whether teams can run here, on this machine and on the Redis that is named (spec/engine.md §3). */

import { BugError, errorText, UserError } from '../../shared/errors.js';
import { openLink } from '../engine/redis-link.js';
import type { House, RedisPlace } from '../house.js';
import { readKeyRing } from '../key-ring.js';
import { type Check, well } from './check.js';
import { machineChecks, type NamedEngineers } from './machine.js';
import { runnerChecks } from './redis-runners.js';
import { serverChecks } from './redis-server.js';
import { prefixChecks } from './redis-teams.js';

export interface Examined {
  readonly v: 1;
  /** Whether no check is an error. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Examines this machine, and the Redis of the house where one is named. @param nodeVersion as `v20.19.0` */
export async function examine(
  house: House,
  nodeVersion: string,
  engineers: NamedEngineers,
  signal: AbortSignal,
): Promise<Examined> {
  const checks = [
    ...(await machineChecks(house, nodeVersion, engineers, signal)),
    ...(house.redis === null
      ? [well('redis', 'none is named: teams are kept in files', 'none, or one that answers')]
      : await redisChecks(house, house.redis)),
  ];
  return { v: 1, ok: checks.every(({ state }) => state !== 'error'), checks };
}

async function redisChecks(house: House, place: RedisPlace): Promise<readonly Check[]> {
  const { shown } = place.address;
  const wanted = 'a server that answers';
  try {
    const link = await openLink(house, place);
    try {
      return [
        well('redis', shown, wanted),
        ...(await serverChecks(link.client, house.clock, place.durability)),
        ...(await prefixChecks(link, house.version)),
        ...(await runnerChecks(link, house.version, await readKeyRing(house))),
      ];
    } finally {
      await link.close();
    }
  } catch (error) {
    // What the client throws is the word of the server or of the way to it.
    if (error instanceof BugError) throw error;
    const known = error instanceof UserError ? REMEDIES[error.code] : undefined;
    const remedy = known ?? 'start the server, correct its address, or open the way to it';
    return [{ check: 'redis', state: 'error', found: errorText(error), wanted, remedy }];
  }
}

/** By code of the error. */
const REMEDIES: Readonly<Record<string, string>> = {
  'redis-denied': 'correct user and password of the address',
  'redis-client-certificate':
    'name the files with a certificate that this server takes and with its key in BNERD_REDIS_CERT and BNERD_REDIS_KEY',
  'redis-certificate':
    'name the file with its CA in BNERD_REDIS_CA, or reach it by a name of its certificate',
};
