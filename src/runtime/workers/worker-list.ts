/** The workers that live under the prefix of a Redis, as they say it of themselves (spec/engine.md §3). */

import { type LiveWorker, liveWorkers } from '../../dispatch/presence.js';
import { openLink } from '../engine/redis-link.js';
import type { House, RedisPlace } from '../house.js';

/** snake_case, JSON-serialisable, fields only added within v1. */
export interface WorkerView {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly pools: readonly string[];
  readonly slots: number;
  readonly running: number;
  readonly providers: readonly string[];
  readonly max_safety: string;
  readonly workspace_roots: readonly string[];
  readonly version: string;
  /** Ids of the keys of operators whose teams it serves; whether it serves those alone that are signed. */
  readonly operators: readonly string[];
  readonly signed_only: boolean;
  /** Milliseconds since its queue last answered it, as it said with its last beat. */
  readonly silent_ms: number;
}

/** Looks who is there. Rejects as `openLink` does. */
export async function listWorkers(
  house: Pick<House, 'clock' | 'hostname'>,
  place: RedisPlace,
): Promise<readonly WorkerView[]> {
  const link = await openLink(house, place);
  try {
    return (await liveWorkers(link)).map(workerView);
  } finally {
    await link.close();
  }
}

export function workerView(worker: LiveWorker): WorkerView {
  const {
    id,
    host,
    pid,
    pools,
    slots,
    running,
    providers,
    maxSafety,
    workspaceRoots,
    version,
    silentMs,
    operators,
    signed,
  } = worker;
  return {
    id,
    host,
    pid,
    pools,
    slots,
    running,
    providers,
    max_safety: maxSafety,
    workspace_roots: workspaceRoots,
    version,
    operators,
    signed_only: signed === 'always',
    silent_ms: Math.round(silentMs),
  };
}
