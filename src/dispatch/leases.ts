/**
 * The leases of a team on Redis: who has a turn, who coordinates the run. A lease says who may go on, never what is
 * recorded: that is decided by compare-and-set and by fences in the record, so a lease that two believe in costs time and
 * harms nothing (spec/engine.md §2 "Fences").
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../shared/clock.js';
import { BugError } from '../shared/errors.js';
import type { RedisNames } from '../shared/redis-names.js';
import type { Kept, Lease, LeaseKeeper } from './lease-keeper.js';

/** Who takes leases: one process. */
export interface Holder {
  /** Of this process; never used again. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** What the id of a holder begins with that clears away. */
const CLEARS = 'clears-';

/** Who has the lease of a run for the moment in which it clears away what is left of a team without a log. */
export function clearing(holder: Holder): Holder {
  return { ...holder, id: `${CLEARS}${holder.id}` };
}

/** Whether somebody has a lease for that alone: it is worth waiting for. */
export function isClearing({ id }: Holder): boolean {
  return id.startsWith(CLEARS);
}

export interface LeaseHouse {
  readonly client: Redis;
  readonly names: RedisNames;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly keeper: LeaseKeeper;
  readonly holder: Holder;
}

export type Taken<One extends Lease = Lease> =
  | { readonly kind: 'taken'; readonly lease: One }
  /** By whom; undefined when it was given back between the two questions. */
  | { readonly kind: 'held'; readonly by: HeldBy | undefined };

export interface HeldBy extends Holder {
  /** Grows with each holder of the same lease; the number of the turn for that of a turn. */
  readonly fence: number;
}

/** The lease of a run: `fence` is greater than that of everyone who held it before. */
export interface RunLease extends Lease {
  readonly fence: number;
}

/** Takes the lease of a turn whose `turn.started` has this number: its key carries it, so no other turn ever has it. */
export async function takeTurn(house: LeaseHouse, team: string, turn: number): Promise<Taken> {
  const { client, names, clock, keeper } = house;
  const key = names.turnLease(team, turn);
  const text = written({ ...house.holder, fence: turn });
  const sentAt = clock.monotonicMs();
  const set = await client.set(key, text, 'PX', keeper.timing.leaseMs, 'NX');
  if (set === 'OK') return { kind: 'taken', lease: keeper.keep(turnKept(key), sentAt) };
  return { kind: 'held', by: await heldBy(client, key) };
}

/** Whether somebody has the lease of this turn: then it is not taken over. */
export async function turnIsHeld(
  { client, names }: Pick<LeaseHouse, 'client' | 'names'>,
  team: string,
  turn: number,
): Promise<boolean> {
  return (await client.exists(names.turnLease(team, turn))) === 1;
}

/** Takes the lease of coordinating a run, whether or not anything is recorded of it. */
export function takeRun(house: LeaseHouse, team: string): Promise<Taken<RunLease>> {
  return takeRunAs(house, team, 'any');
}

/** Takes it where the log is there. `gone`: it is not, and nothing was taken: of a team that was put away no key comes back. */
export async function takeRunOfLog(
  house: LeaseHouse,
  team: string,
): Promise<Taken<RunLease> | { readonly kind: 'gone' }> {
  const taken = await takeRunAs(house, team, 'there');
  if (taken.kind === 'taken' || taken.by !== undefined) return taken;
  return (await house.client.exists(house.names.log(team))) === 0 ? { kind: 'gone' } : taken;
}

async function takeRunAs(house: LeaseHouse, team: string, log: 'any' | 'there'): Promise<Taken<RunLease>> {
  const { client, names, clock, keeper, holder } = house;
  const key = names.runLease(team);
  const sentAt = clock.monotonicMs();
  const answer = await client.eval(
    TAKE_RUN,
    3,
    key,
    names.runFence(team),
    names.log(team),
    keeper.timing.leaseMs,
    written({ ...holder, fence: 0 }),
    log,
  );
  if (typeof answer !== 'number') return { kind: 'held', by: await heldBy(client, key) };
  const lease = keeper.keep(runKept(key, written({ ...holder, fence: answer })), sentAt);
  return {
    kind: 'taken',
    lease: {
      key,
      signal: lease.signal,
      fence: answer,
      ranOut: () => lease.ranOut(),
      isHeld: () => lease.isHeld(),
      prove: (signal) => lease.prove(signal),
      drop: () => lease.drop(),
    },
  };
}

/** Takes the lease of the desk of a team: who has it takes in what the runners of its briefs report. */
export async function takeDesk(house: LeaseHouse, team: string): Promise<Taken> {
  const { client, names, clock, keeper } = house;
  const key = names.desk(team);
  const text = written({ ...house.holder, fence: 0 });
  const sentAt = clock.monotonicMs();
  const set = await client.set(key, text, 'PX', keeper.timing.leaseMs, 'NX');
  if (set === 'OK') return { kind: 'taken', lease: keeper.keep(runKept(key, text), sentAt) };
  return { kind: 'held', by: await heldBy(client, key) };
}

/** Who coordinates the run; undefined when nobody does. */
export async function runHolder(
  { client, names }: Pick<LeaseHouse, 'client' | 'names'>,
  team: string,
): Promise<HeldBy | undefined> {
  return heldBy(client, names.runLease(team));
}

/** Gives the lease of a turn back at once. Nobody else ever has it, so nobody else's goes with it. */
export async function giveBackTurn({ client }: Pick<LeaseHouse, 'client'>, lease: Lease): Promise<void> {
  lease.drop();
  await client.del(lease.key);
}

/** Gives another lease back at once, when it is still this process's: whoever waits for it need not wait for its expiry. */
export async function giveBack({ client, holder }: LeaseHouse, lease: Lease): Promise<void> {
  lease.drop();
  await client.eval(GIVE_BACK, 1, lease.key, holder.id);
}

/**
 * The same of the lease of a run; where nothing is recorded of it, nothing is left of its having been taken.
 */
export async function giveBackRun(
  { client, names, holder }: LeaseHouse,
  team: string,
  lease: Lease,
): Promise<void> {
  lease.drop();
  await client.eval(GIVE_BACK_RUN, 3, lease.key, names.runFence(team), names.log(team), holder.id);
}

/** Nobody else ever has this key, so its expiry alone says whether it is held. */
function turnKept(key: string): Kept {
  return {
    key,
    lapses: 'in time',
    asks: 1,
    ask: (pipeline, leaseMs) => {
      pipeline.pexpire(key, leaseMs);
    },
    hear: ([moved]) => (moved === 1 ? 'held' : 'lost'),
  };
}

/** Somebody else may have it after us: then one expiry of his was moved by us, which harms nobody. */
function runKept(key: string, text: string): Kept {
  return {
    key,
    lapses: 'in time',
    asks: 2,
    ask: (pipeline, leaseMs) => {
      pipeline.pexpire(key, leaseMs);
      pipeline.get(key);
    },
    hear: ([moved, held]) => (moved === 1 && held === text ? 'held' : 'lost'),
  };
}

async function heldBy(client: Redis, key: string): Promise<HeldBy | undefined> {
  const text = await client.get(key);
  if (text === null) return undefined;
  const [fence = '', id = '', pid = '', ...host] = text.split(' ');
  return { fence: Number(fence), id, pid: Number(pid), host: host.join(' ') };
}

/** The fence first, where the script puts it; the host last, since it may hold anything. */
function written({ fence, id, pid, host }: HeldBy): string {
  if (!/^\S+$/.test(id)) throw new BugError('bad-holder', `"${id}" is no id of a holder`);
  return `${fence} ${id} ${pid} ${host}`;
}

/**
 * How long the counter outlives the newest holder, in milliseconds: far longer than any of them could believe in its
 * lease. So a team that is taken by mistake, when it was put away already, leaves nothing for good.
 */
const FENCE_MS = 7 * 24 * 3_600_000;

const TAKE_RUN = `
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
if ARGV[3] == 'there' and redis.call('EXISTS', KEYS[3]) == 0 then return false end
local fence = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ${FENCE_MS})
redis.call('SET', KEYS[1], fence .. string.match(ARGV[2], ' .*'), 'PX', ARGV[1])
return fence`;

const GIVE_BACK = `
local text = redis.call('GET', KEYS[1])
if text and string.match(text, '%S+ (%S+)') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const GIVE_BACK_RUN = `
local text = redis.call('GET', KEYS[1])
if not text or string.match(text, '%S+ (%S+)') ~= ARGV[1] then return 0 end
if redis.call('EXISTS', KEYS[3]) == 0 then redis.call('DEL', KEYS[2]) end
return redis.call('DEL', KEYS[1])`;
