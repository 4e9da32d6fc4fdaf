/**
 * What the doctor looks at on a Redis as a server: whether it keeps what it acknowledges, and how it answers (spec/engine.md
 * §1 "Loss"). Only asks; changes nothing.
 */

import type { RedisConnection } from '../../events/redis/connection.js';
import type { Durability } from '../../events/redis/redis-record.js';
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/errors.js';
import { type Check, well } from './check.js';

/** How far the clocks of a machine and of the server may be apart, in milliseconds. */
export const SKEW_MS = 30_000;

const PINGS = 100;

/** A server that answers later than this slows every step of a team, in milliseconds. */
const SLOW_MS = 50;

/** Looks at the server. Rejects when it does not answer any more. */
export async function serverChecks(
  client: Client,
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>,
  durability: Durability = 'server',
): Promise<readonly Check[]> {
  const info = readInfo(await client.info());
  return [
    versionCheck(info),
    roleCheck(info),
    evictionCheck(info),
    persistenceCheck(info, await configured(client, 'appendfsync')),
    replicaCheck(info, durability),
    await latencyCheck(client, clock),
    await skewCheck(client, clock),
  ];
}

/** `INFO` as its fields. */
export function readInfo(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => /^[a-z_0-9]+:/i.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

type Client = RedisConnection['client'];

type Info = ReadonlyMap<string, string>;

/** A Redis of 6.2 or later, or Valkey, which tells the Redis that it is like as well. */
export function versionCheck(info: Info): Check {
  const wanted = 'Redis 6.2 or later, or Valkey';
  const valkey = info.get('valkey_version');
  if (valkey !== undefined) return well('redis-version', `Valkey ${valkey}`, wanted);
  const version = info.get('redis_version') ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 6 || (major === 6 && minor >= 2)) return well('redis-version', `Redis ${version}`, wanted);
  const remedy = 'use a newer server';
  return { check: 'redis-version', state: 'error', found: `Redis ${version}`, wanted, remedy };
}

function roleCheck(info: Info): Check {
  const role = info.get('role') ?? 'unknown';
  const wanted = 'a server that takes writes';
  if (role === 'master') return well('redis-role', 'primary', wanted);
  const remedy = 'name the address of the primary';
  return {
    check: 'redis-role',
    state: 'error',
    found: role === 'slave' ? 'a replica' : role,
    wanted,
    remedy,
  };
}

/** Where memory is not bounded nothing is evicted yet; it is once somebody bounds it. */
function evictionCheck(info: Info): Check {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const unbounded = info.get('maxmemory') === '0';
  const wanted = 'maxmemory-policy noeviction: a record may not be thrown away to make room';
  if (policy === 'noeviction') return well('redis-eviction', 'maxmemory-policy noeviction', wanted);
  return {
    check: 'redis-eviction',
    state: unbounded ? 'warning' : 'error',
    found: `maxmemory-policy ${policy}${unbounded ? ', and memory has no bound as yet' : ''}`,
    wanted,
    remedy: 'redis-cli config set maxmemory-policy noeviction, and write it into its configuration',
  };
}

/** What of that which it acknowledged a server still has after it died, and after its machine did. */
export function persistenceCheck(info: Info, appendfsync: string | null): Check {
  const check = 'redis-persistence';
  const wanted = 'AOF: what was acknowledged survives the death of the server';
  const remedy = 'redis-cli config set appendonly yes, and write it into its configuration';
  if (info.get('aof_enabled') !== '1') {
    const found = 'no AOF: when the server ends, everything since its last snapshot is lost';
    return { check, state: 'error', found, wanted, remedy };
  }
  if ((info.get('aof_last_write_status') ?? 'ok') !== 'ok') {
    const found = 'AOF, and its last write has failed';
    return { check, state: 'error', found, wanted, remedy: 'make room on the disk of the server' };
  }
  const stronger = 'where that is too much: redis-cli config set appendfsync always';
  switch (appendfsync) {
    case 'always':
      return well(check, 'AOF, appendfsync always: a power cut loses nothing that was acknowledged', wanted);
    case 'everysec': {
      const found =
        'AOF, appendfsync everysec: the death of the server loses what a slow disk held back, a power cut up to about a second';
      return { check, state: 'ok', found, wanted, remedy: stronger };
    }
    case 'no': {
      const found = 'AOF, appendfsync no: a power cut loses what its system had not yet written';
      return { check, state: 'warning', found, wanted, remedy: 'redis-cli config set appendfsync everysec' };
    }
    default: {
      const found = 'AOF; how often it is written to disk may not be asked by this user';
      return {
        check,
        state: 'warning',
        found,
        wanted,
        remedy: 'ask who runs the server for its appendfsync',
      };
    }
  }
}

/** What a fail-over loses, and whether anything is done before a replica knows of it. */
function replicaCheck(info: Info, durability: Durability): Check {
  const check = 'redis-replicas';
  const count = Number(info.get('connected_slaves') ?? '0');
  if (durability === 'strict') {
    const wanted = 'a replica for durability: strict';
    if (count > 0)
      return well(
        check,
        `${count}, durability strict: no effect is allowed by what a fail-over loses`,
        wanted,
      );
    const found =
      'none, and durability is strict: what would have an effect waits for one, and ends the run after a minute';
    const remedy = 'bring a replica back, or set BNERD_DURABILITY=server';
    return { check, state: 'error', found, wanted, remedy };
  }
  const wanted = 'knowing what a fail-over loses';
  if (count === 0) return well(check, 'none', wanted);
  return {
    check,
    state: 'warning',
    found: `${count}, durability server: a fail-over loses what the new primary had not yet been sent, also of what was done`,
    wanted,
    remedy:
      'BNERD_DURABILITY=strict for every process that takes turns: no effect before a replica knows of it',
  };
}

async function latencyCheck(client: Client, clock: Pick<Clock, 'monotonicMs'>): Promise<Check> {
  const times: number[] = [];
  for (let n = 0; n < PINGS; n++) {
    const from = clock.monotonicMs();
    await client.ping();
    times.push(clock.monotonicMs() - from);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number => times[Math.min(PINGS - 1, Math.floor(PINGS * share))] ?? 0;
  const [p50, p99] = [at(0.5), at(0.99)];
  const found = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms of ${PINGS} PINGs`;
  const wanted = `p50 below ${SLOW_MS} ms`;
  if (p50 < SLOW_MS) return well('redis-latency', found, wanted);
  const remedy = 'run it nearer to those who use it, or look what keeps it busy: redis-cli slowlog get';
  return { check: 'redis-latency', state: 'warning', found, wanted, remedy };
}

async function skewCheck(client: Client, clock: Pick<Clock, 'wallMs'>): Promise<Check> {
  const before = clock.wallMs();
  const [seconds = 0, micros = 0] = (await client.time()).map(Number);
  const here = (before + clock.wallMs()) / 2;
  const apart = seconds * 1_000 + micros / 1_000 - here;
  const found = `this machine is ${(Math.abs(apart) / 1_000).toFixed(3)} s ${apart > 0 ? 'behind' : 'ahead of'} the server`;
  const wanted = `at most ${SKEW_MS / 1_000} s`;
  if (Math.abs(apart) <= SKEW_MS) return well('redis-clock', found, wanted);
  const remedy = 'set the clock that is wrong, and keep both by NTP';
  return { check: 'redis-clock', state: 'error', found, wanted, remedy };
}

/** A setting of the server; null where this user may not ask for it. */
async function configured(client: Client, name: string): Promise<string | null> {
  try {
    const answer: unknown = await client.config('GET', name);
    return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null;
  } catch (error) {
    if (/NOPERM|unknown command/i.test(errorText(error))) return null;
    throw error;
  }
}
