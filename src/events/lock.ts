/**
 * One process writes a team (spec/engine.md §1 "Lock"). The lock lies in the team's own folder and outlives its
 * holder: whether that one lives is decided by who it was, never by how old its lock is.
 *
 * A holder that is dead is followed without a question, one that lives never is; of one that cannot be judged
 * from here (another machine, another container) the operator must say that it is gone.
 */

import { stat } from 'node:fs/promises';
import { type Clock, isoStamp } from '../shared/clock.js';
import { systemCode } from '../shared/errors.js';
import {
  liveness,
  type ProcessIdentity,
  type ProcessSource,
  systemProcessSource,
} from '../shared/process-identity.js';
import { HeldLock } from './held-lock.js';
import { identityOf, lockFileOf } from './lock-file.js';
import { type Generation, highestGeneration, makeGeneration, pruneGenerations } from './lock-generations.js';
import { ensureFolder } from './own-folder.js';
import { noTeam, recordFolder } from './record-folder.js';

/** Who holds a lock. All but the heartbeat is undefined when the lock's file cannot be understood. */
export interface LockHolder {
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** Wall clock, ISO 8601, for people. */
  readonly since: string | undefined;
  /** Last sign of life, wall clock, ISO 8601, for people. */
  readonly heartbeat: string;
  /** Path of the holder's control socket once it listens. */
  readonly socket: string | undefined;
}

/** A lock of this process. */
export interface TeamLock {
  /** Fires when another process has taken the team over; this one must end without writing. */
  readonly lost: AbortSignal;
  /** Writes into the lock where the control socket listens. */
  announce(place: { readonly socket: string }): Promise<void>;
  /** Gives the team free. Idempotent; does nothing to a lock that was lost. */
  release(): Promise<void>;
}

export type LockAttempt =
  | {
      readonly kind: 'acquired';
      readonly lock: TeamLock;
      /** Whom this process follows, when that one did not give the team free itself. */
      readonly follows?: { readonly holder: LockHolder; readonly how: 'dead' | 'taken-over' };
    }
  | { readonly kind: 'held'; readonly verdict: 'alive' | 'unknown'; readonly holder: LockHolder };

export interface LockOptions {
  /** This process, from `processIdentity()`. */
  readonly identity: ProcessIdentity;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** `create` makes the team's folder, `open` refuses (`no-team`) where there is none. */
  readonly mode: 'create' | 'open';
  /** The operator's word that a holder nobody here can judge is gone. Never ends a live one. */
  readonly takeOver?: boolean;
  /** Default 10 s. */
  readonly heartbeatMs?: number;
  /** The process table that is asked; the system's own by default. */
  readonly source?: ProcessSource;
}

/** The beat of spec/engine.md §2. */
const HEARTBEAT_MS = 10_000;

/** Takes a team's lock, or says who holds it. Does not wait for a holder. */
export async function acquireLock(root: string, options: LockOptions): Promise<LockAttempt> {
  const { identity, clock, mode, takeOver = false, heartbeatMs = HEARTBEAT_MS } = options;
  if (mode === 'open' && !(await isThere(root))) throw noTeam(root);
  const folder = recordFolder(root).lock;
  await ensureFolder(folder);
  for (;;) {
    const current = await highestGeneration(folder);
    const verdict = current === undefined ? 'free' : await judge(current, identity, options.source);
    if (verdict === 'alive' || (verdict === 'unknown' && !takeOver)) {
      return { kind: 'held', verdict, holder: holderOf(current) };
    }
    const number = (current?.number ?? 0) + 1;
    const file = lockFileOf(identity, isoStamp(clock.wallMs()));
    if (!(await makeGeneration(folder, number, file))) continue; // Somebody was faster: look again.
    await pruneGenerations(folder, number);
    const lock = new HeldLock({ folder, number, file, clock, heartbeatMs });
    if (verdict === 'free') return { kind: 'acquired', lock };
    const how = verdict === 'dead' ? 'dead' : 'taken-over';
    return { kind: 'acquired', lock, follows: { holder: holderOf(current), how } };
  }
}

export type LockState =
  | { readonly kind: 'free' }
  /** `dead`: the next who wants the team gets it. */
  | { readonly kind: 'held'; readonly verdict: 'alive' | 'dead' | 'unknown'; readonly holder: LockHolder };

/** Looks at a team's lock and touches nothing; `free` where there never was one. */
export async function inspectLock(
  root: string,
  options: Pick<LockOptions, 'identity' | 'source'>,
): Promise<LockState> {
  const folder = recordFolder(root).lock;
  const current = (await isThere(folder)) ? await highestGeneration(folder) : undefined;
  const verdict = current === undefined ? 'free' : await judge(current, options.identity, options.source);
  return verdict === 'free' ? { kind: 'free' } : { kind: 'held', verdict, holder: holderOf(current) };
}

/** `pid 4711 on build-3, since …, last heartbeat …`: a holder as every message names it. */
export function describeHolder(holder: LockHolder): string {
  const { pid, host, since, heartbeat } = holder;
  const who = pid === undefined ? 'an unreadable lock' : `pid ${pid} on ${host}, since ${since}`;
  return `${who}, last heartbeat ${heartbeat}`;
}

async function judge(
  { file }: Generation,
  self: ProcessIdentity,
  source: ProcessSource = systemProcessSource(),
): Promise<'free' | 'alive' | 'dead' | 'unknown'> {
  if (file === undefined) return 'unknown';
  return file.released ? 'free' : liveness(identityOf(file), self, source);
}

function holderOf(generation: Generation | undefined): LockHolder {
  const file = generation?.file;
  return {
    pid: file?.pid,
    host: file?.host,
    since: file?.since,
    heartbeat: isoStamp(generation?.beatMs ?? 0),
    socket: file?.socket ?? undefined,
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
