/** What is asked of a worker when somebody reads its meters, and how often it has lost its server. */

import type { Meters } from '../../shared/meters.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { Progress } from '../operations/health.js';

export interface MeteredWorker {
  running(): number;
  progress(): readonly Progress[];
  /** It closes its connection by itself. */
  isOver(): boolean;
}

/** From now on. */
export function meterWorker(
  meters: Meters,
  { client }: Pick<RedisLink, 'client'>,
  worker: MeteredWorker,
): void {
  const silence = (thing: string) => (): number =>
    (worker.progress().find(({ what }) => what === thing)?.silentMs ?? 0) / 1_000;
  meters.ask('bnerd_turns_running', () => worker.running());
  meters.ask('bnerd_queue_silence_seconds', silence('queue'));
  meters.ask('bnerd_look_silence_seconds', silence('look'));
  let there = client.status === 'ready';
  client.on('ready', () => {
    there = true;
  });
  // Tries that fail while it is away are no further outages.
  client.on('close', () => {
    if (there && !worker.isOver()) meters.add('bnerd_redis_outages_total');
    there = false;
  });
}
