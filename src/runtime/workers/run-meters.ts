/** What is asked of a process that coordinates a run on Redis, whether it takes turns as well or not. */

import type { TeamStore } from '../../state/team-store.js';
import type { RedisLink } from '../engine/redis-link.js';
import { progressOf } from '../operations/health.js';
import type { Operations } from '../operations/operations.js';
import { countOutages } from './worker-meters.js';

export interface MeteredRun {
  readonly link: Pick<RedisLink, 'client' | 'clock' | 'place'>;
  readonly store: Pick<TeamStore, 'state'>;
  /** What it has asked for and when it last looked, as `SharedTurns`. */
  readonly turns: { readonly asked: number; readonly lookedAt: number | undefined };
}

/** From now on until the returned function is called; nothing where nobody asks. */
export function meterRun(operations: Operations | undefined, { link, store, turns }: MeteredRun): () => void {
  if (operations === undefined) return () => {};
  const { meters } = operations;
  let isOver = false;
  const progress = () => progressOf(link.clock.monotonicMs(), { coordination: turns.lookedAt });
  meters.ask('bnerd_coordination_silence_seconds', () => (progress()[0]?.silentMs ?? 0) / 1_000);
  meters.ask('bnerd_run_turns_due', () => turns.asked);
  meters.ask('bnerd_run_requests_open', () => {
    const { requests } = store.state;
    return [...requests.values()].filter(({ status }) => status.kind === 'open').length;
  });
  // Who takes turns too counts on the connection of its worker.
  if (!link.place.takesTurns) countOutages(meters, link, () => isOver);
  const unwatched = operations.watch(progress);
  return () => {
    isOver = true;
    unwatched();
  };
}
