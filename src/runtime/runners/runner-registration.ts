/** What a runner says of itself to operators and desks, under an identity that no other process has (spec/runner.md §3, §5). */

import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { DEFAULT_POOL } from '../../dispatch/job.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import { type RunnerSays, registerRunner } from '../../dispatch/runners.js';
import { FatalError } from '../../shared/errors.js';
import { lookAtProcess } from '../../shared/process-identity.js';
import type { RedisLink } from '../engine/redis-link.js';

/** What was done last, for people, and when, on the monotonic clock. */
export interface LastDone {
  readonly text: string;
  readonly at: number;
}

/** What of it changes while it lives. */
export interface RunnerNow {
  readonly running: number;
  readonly draining: boolean;
  /** When its queue last answered it, on the monotonic clock; undefined: it has not been asked yet. */
  readonly answeredAt: number | undefined;
  readonly lastDone: LastDone | null;
}

export interface Registration {
  readonly link: RedisLink;
  readonly runner: Pick<RunnerHouse, 'identity' | 'limits' | 'clock'>;
  readonly slots: number;
  readonly version: string;
  readonly engineers: RunnerSays['engineers'];
  now(): RunnerNow;
}

/** The pool whose briefs it takes. */
export function poolOf({ limits }: Pick<RunnerHouse, 'limits'>): string {
  return limits.pool ?? DEFAULT_POOL;
}

/**
 * Registers it until the lease is given back, and says anew what it is with each beat. Rejects with `FatalError`
 * `runner-lives` when a process lives under this identity.
 */
export async function registerAs(registration: Registration, signal: AbortSignal): Promise<Lease> {
  const { link, runner } = registration;
  const { name } = runner.identity;
  const isGone = async (pid: number): Promise<boolean> => (await lookAtProcess(pid)).kind === 'gone';
  const registered = await registerRunner(link, name, () => saysOf(registration), isGone, signal);
  if (registered.kind === 'registered') return registered.lease;
  const { host, pid } = registered.by;
  const text = `${name} lives already, as process ${pid} on ${host}: one identity is one process; give this one a workdir of its own`;
  throw new FatalError('runner-lives', text);
}

function saysOf({ link, runner, slots, version, engineers, now }: Registration): RunnerSays {
  const { limits, identity, clock } = runner;
  const { holder, clock: server } = link;
  const { running, draining, answeredAt, lastDone } = now();
  const at = server.monotonicMs();
  return {
    pools: [poolOf(runner)],
    labels: limits.labels,
    slots,
    running,
    version,
    key: identity.pair.key,
    keyId: identity.pair.id,
    engineers,
    maxSafety: limits.maxSafety,
    repos: limits.repos,
    host: holder.host,
    pid: holder.pid,
    process: holder.id,
    skewMs: Math.round(clock.wallMs() - server.wallMs()),
    silentMs: Math.max(0, Math.round(at - (answeredAt ?? at))),
    progress: lastDone === null ? null : { text: lastDone.text, agoMs: Math.round(at - lastDone.at) },
    draining,
  };
}
