/**
 * Which runners are there: what each serves and who it is, under a key that it keeps alive by each beat. A hint for people
 * and desks, never a right to do anything. The identity of one that lives is nobody else's.
 */

import { z } from 'zod';
import { sleep } from '../shared/abort.js';
import { scanKeys } from '../shared/scan-keys.js';
import type { Lease } from './lease-keeper.js';
import type { PresenceHouse } from './presence.js';

/** What a runner says of itself. */
export interface RunnerSays {
  readonly pools: readonly string[];
  readonly labels: readonly string[];
  /** Briefs at once, and how many run now. */
  readonly slots: number;
  readonly running: number;
  readonly version: string;
  /** Its public key, as `bnerd keys accept` takes it, and the id of that. */
  readonly key: string;
  readonly keyId: string;
  /** The engineers that it can start, by kind; null: found, and its version is not known. */
  readonly engineers: Readonly<Record<string, string | null>>;
  readonly maxSafety: string;
  /** Addresses with `*`. */
  readonly repos: readonly string[];
  readonly host: string;
  readonly pid: number;
  /** Of the process: no two have the same. */
  readonly process: string;
  /** How far its clock is ahead of the server's, in milliseconds. */
  readonly skewMs: number;
  /** Milliseconds since its queue last answered it. */
  readonly silentMs: number;
  /** What was last done here, for people, and how long ago; null: nothing yet. */
  readonly progress: { readonly text: string; readonly agoMs: number } | null;
  /** It takes no more, and ends when it has nothing to do. */
  readonly draining: boolean;
}

export interface LiveRunner extends RunnerSays {
  readonly id: string;
}

export type Registered =
  | { readonly kind: 'registered'; readonly lease: Lease }
  /** A process lives under this identity. */
  | { readonly kind: 'held'; readonly by: Pick<RunnerSays, 'host' | 'pid'> };

type RunnerHouse = Pick<PresenceHouse, 'client' | 'names'>;

/** Between two looks at a registration that was there already, in milliseconds. */
const LOOK_MS = 200;

/** How long a word to drain waits for its runner, in milliseconds. */
const DRAIN_MS = 24 * 3_600_000;

/**
 * Registers a runner until its process ends or its registration is taken back. One that is there under this identity is
 * waited for: it lives when it moves its expiry, and else it is gone after a lease.
 * @param says asked for each beat
 * @param isGone whether a process of this machine has ended: then nobody waits
 */
export async function registerRunner(
  house: PresenceHouse,
  id: string,
  says: () => RunnerSays,
  isGone: (pid: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Registered> {
  const { client, clock, keeper, names } = house;
  const key = names.runner(id);
  const { leaseMs } = keeper.timing;
  const { host } = says();
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    const sentAt = clock.monotonicMs();
    if ((await client.set(key, JSON.stringify(says()), 'PX', leaseMs, 'NX')) === 'OK')
      return { kind: 'registered', lease: keeper.keep(signOf(key, says), sentAt) };
    const there = readRunner(await client.get(key));
    const left = await client.pttl(key);
    const by = { host: there?.host ?? 'unknown', pid: there?.pid ?? 0 };
    if (there?.host === host && (await isGone(there.pid))) await client.del(key);
    else if (left > last) return { kind: 'held', by };
    else await sleep(LOOK_MS, signal);
    last = left;
  }
}

/** The runners that live now, in the order of their ids. What is registered in a form that is not ours is left out. */
export async function liveRunners({ client, names }: RunnerHouse): Promise<readonly LiveRunner[]> {
  const keys = await scanKeys(client, names.everyRunner);
  if (keys.length === 0) return [];
  const texts = await client.mget(keys);
  const runners = keys.flatMap((key, place) => {
    const says = readRunner(texts[place] ?? null);
    return says === undefined ? [] : [{ id: key.slice(names.everyRunner.length - 1), ...says }];
  });
  return runners.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Tells a runner to take no more, to finish what it has, and to end. */
export async function drainRunner({ client, names }: RunnerHouse, id: string): Promise<void> {
  await client.set(names.drain(id), '1', 'PX', DRAIN_MS);
}

/** Whether a runner was told so. */
export async function isDrained({ client, names }: RunnerHouse, id: string): Promise<boolean> {
  return (await client.exists(names.drain(id))) === 1;
}

/** It has heard it: one that starts under this identity later takes briefs. */
export async function undrain({ client, names }: RunnerHouse, id: string): Promise<void> {
  await client.del(names.drain(id));
}

function signOf(key: string, says: () => RunnerSays): Parameters<PresenceHouse['keeper']['keep']>[0] {
  return {
    key,
    lapses: 'never',
    asks: 2,
    ask: (pipeline, leaseMs) => {
      pipeline.pexpire(key, leaseMs); // also where the memory is full
      pipeline.set(key, JSON.stringify(says()), 'PX', leaseMs);
    },
    hear: ([, said]) => (said === 'OK' ? 'held' : undefined),
  };
}

function readRunner(text: string | null): RunnerSays | undefined {
  if (text === null) return undefined; // It has gone since the scan.
  try {
    return SAYS.parse(JSON.parse(text));
  } catch {
    return undefined; // Not of this version, or not ours: it serves nothing that we can count on.
  }
}

const SAYS = z.object({
  pools: z.array(z.string()),
  labels: z.array(z.string()),
  slots: z.number().int(),
  running: z.number().int(),
  version: z.string(),
  key: z.string(),
  keyId: z.string(),
  engineers: z.record(z.string(), z.string().nullable()),
  maxSafety: z.string(),
  repos: z.array(z.string()),
  host: z.string(),
  pid: z.number().int(),
  process: z.string(),
  skewMs: z.number(),
  silentMs: z.number(),
  progress: z.object({ text: z.string(), agoMs: z.number() }).nullable(),
  draining: z.boolean(),
});
