/**
 * Who is there: workers with what they serve, and the teams that some process runs. Keys that their owners keep alive by
 * each beat; whoever dies is gone after one lease. A hint for people and sweepers, never a right to do anything.
 */

import type { ChainableCommander, Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../shared/clock.js';
import type { RedisNames } from '../shared/redis-names.js';
import { scanKeys } from '../shared/scan-keys.js';
import type { Kept, Lease, LeaseKeeper } from './lease-keeper.js';

/** What a worker says of itself. */
export interface WorkerSays {
  readonly pools: readonly string[];
  /** Names of the providers it has a key for. */
  readonly providers: readonly string[];
  readonly version: string;
  /** Of runs whose turns it takes: none that is looser. */
  readonly maxSafety: string;
  /** The folders in which the workspaces of its teams lie; none: anywhere. */
  readonly workspaceRoots: readonly string[];
  /** Ids of the keys of operators whose teams it serves, and which teams have to be signed. */
  readonly operators: readonly string[];
  readonly signed: 'always' | 'with a key';
  /** Turns at once, and how many run now. */
  readonly slots: number;
  readonly running: number;
  readonly host: string;
  readonly pid: number;
  /** Milliseconds since its queue last answered it: much longer than its beats and it is stuck. */
  readonly silentMs: number;
}

export interface LiveWorker extends WorkerSays {
  readonly id: string;
}

export interface PresenceHouse {
  readonly client: Redis;
  readonly names: RedisNames;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly keeper: LeaseKeeper;
}

/**
 * Registers a worker until its process ends or `leave`.
 * @param says asked for each beat
 */
export async function registerWorker(
  house: PresenceHouse,
  id: string,
  says: () => WorkerSays,
): Promise<Lease> {
  return present(house, house.names.worker(id), () => JSON.stringify(says()));
}

/**
 * Says that this process runs the team, beside any other that does. Said only while its log is there: who has not yet heard
 * that the team was put away does not make its key anew.
 * @param log `not yet`: the team is about to start, and is live before its first entry
 */
export async function keepLive(house: PresenceHouse, team: string, log: 'there' | 'not yet'): Promise<Lease> {
  const { client, clock, keeper, names } = house;
  const key = names.live(team);
  const sentAt = clock.monotonicMs();
  await client.eval(SIGN_OF_LIFE, 2, key, names.log(team), keeper.timing.leaseMs, log);
  return keeper.keep(
    signOf(key, (pipeline, leaseMs) => {
      pipeline.eval(SIGN_OF_LIFE, 2, key, names.log(team), leaseMs, 'there');
    }),
    sentAt,
  );
}

/** Whether some process runs the team. */
export async function isLive(
  { client, names }: Pick<PresenceHouse, 'client' | 'names'>,
  team: string,
): Promise<boolean> {
  return (await client.exists(names.live(team))) === 1;
}

/** Says that a person looks on at the team from this process and answers it, beside any other that does. */
export async function keepAttended(house: PresenceHouse, team: string): Promise<Lease> {
  return present(house, house.names.attended(team), () => '1');
}

/** Whether a person looks on at the team somewhere. */
export async function isAttended(
  { client, names }: Pick<PresenceHouse, 'client' | 'names'>,
  team: string,
): Promise<boolean> {
  return (await client.exists(names.attended(team))) === 1;
}

/** Ends a registration at once. Not for a team: another process may run it as well, and its key expires by itself. */
export async function leave({ client }: Pick<PresenceHouse, 'client'>, worker: Lease): Promise<void> {
  worker.drop();
  await client.del(worker.key);
}

/** The workers that live now, in the order of their ids. What is registered in a form that is not ours is left out. */
export async function liveWorkers({
  client,
  names,
}: Pick<PresenceHouse, 'client' | 'names'>): Promise<readonly LiveWorker[]> {
  const keys = await scanKeys(client, names.everyWorker);
  if (keys.length === 0) return [];
  const texts = await client.mget(keys);
  const workers = keys.flatMap((key, place) => {
    const says = readWorker(texts[place] ?? null);
    return says === undefined ? [] : [{ id: key.slice(names.everyWorker.length - 1), ...says }];
  });
  return workers.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Of these pools the ones that no live worker serves. */
export function unserved(pools: readonly string[], workers: readonly WorkerSays[]): readonly string[] {
  const served = new Set(workers.flatMap((worker) => worker.pools));
  return [...new Set(pools)].filter((pool) => !served.has(pool));
}

async function present(house: PresenceHouse, key: string, text: () => string): Promise<Lease> {
  const { client, clock, keeper } = house;
  const sentAt = clock.monotonicMs();
  await client.set(key, text(), 'PX', keeper.timing.leaseMs);
  return keeper.keep(
    signOf(key, (pipeline, leaseMs) => {
      pipeline.set(key, text(), 'PX', leaseMs);
    }),
    sentAt,
  );
}

/** The expiry first: it is moved also by a server that is out of memory and refuses to write. */
function signOf(key: string, set: (pipeline: ChainableCommander, leaseMs: number) => void): Kept {
  return {
    key,
    lapses: 'never',
    asks: 2,
    ask: (pipeline, leaseMs) => {
      pipeline.pexpire(key, leaseMs);
      set(pipeline, leaseMs);
    },
    hear: ([, said]) => (said === 'OK' ? 'held' : undefined),
  };
}

const SIGN_OF_LIFE = `
if ARGV[2] == 'there' and redis.call('EXISTS', KEYS[2]) == 0 then return false end
return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])`;

function readWorker(text: string | null): WorkerSays | undefined {
  if (text === null || text.length > MOST_SAID) return undefined; // It has gone since the scan, or is none of ours.
  try {
    return SAYS.parse(JSON.parse(text));
  } catch {
    return undefined; // Not of this version, or not ours: it serves nothing that we can count on.
  }
}

/** Far more than any worker says of itself, in characters. */
const MOST_SAID = 64 * 1024;

const SAYS = z.object({
  pools: z.array(z.string()),
  providers: z.array(z.string()),
  version: z.string(),
  maxSafety: z.string(),
  workspaceRoots: z.array(z.string()),
  operators: z.array(z.string()),
  signed: z.enum(['always', 'with a key']),
  slots: z.number().int(),
  running: z.number().int(),
  host: z.string(),
  pid: z.number().int(),
  silentMs: z.number(),
});
