/** What is asked of a worker or runner when somebody reads its meters, and how often it has lost its server. */

import type { Meters } from '../../shared/meters.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { Progress } from '../operations/health.js';

export interface MeteredWorker {
  running(): number;
  progress(): readonly Progress[];
  /** It closes its connection by itself. */
  isOver(): boolean;
}

/** From now on; nothing where nobody counts. */
export function meterWorker(
  meters: Meters | undefined,
  { client }: Pick<RedisLink, 'client'>,
  gauge: 'bnerd_turns_running' | 'bnerd_briefs_running',
  worker: MeteredWorker,
): void {
  if (meters === undefined) return;
  const silence = (thing: string) => (): number =>
    (worker.progress().find(({ what }) => what === thing)?.silentMs ?? 0) / 1_000;
  meters.ask(gauge, () => worker.running());
  meters.ask('bnerd_queue_silence_seconds', silence('queue'));
  meters.ask('bnerd_look_silence_seconds', silence('look'));
  countOutages(meters, { client }, () => worker.isOver());
}

/** Counts how often the server was lost. @param isOver the owner of the connection closes it by itself */
export function countOutages(
  meters: Meters,
  { client }: Pick<RedisLink, 'client'>,
  isOver: () => boolean,
): void {
  let there = client.status === 'ready';
  client.on('ready', () => {
    there = true;
  });
  // Tries that fail while it is away are no further outages.
  client.on('close', () => {
    if (there && !isOver()) meters.add('bnerd_redis_outages_total');
    there = false;
  });
}
