/**
 * A team on Redis that this process runs: it coordinates, and takes turns as one worker among others unless it was told not
 * to (spec/engine.md §3).
 */

import { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import type { House } from '../house.js';
import type { OpenedTeam, OpenTeam } from '../open-team.js';
import { NO_BOUNDS } from '../workers/fit.js';
import { SharedTurns } from '../workers/shared-turns.js';
import { Worker } from '../workers/worker.js';
import { Mirror } from './mirror.js';
import { RedisGrowth } from './redis-growth.js';
import type { RedisPlace } from './redis-link.js';
import { openRedisTeam } from './redis-open.js';

/** Takes a team, to run it. @param folder its folder on this machine */
export async function runRedisTeam(
  house: House,
  place: RedisPlace,
  id: string,
  folder: string,
  mode: 'create' | 'open',
): Promise<OpenedTeam> {
  const opened = await openRedisTeam(house, place, id, folder, mode);
  if (opened.kind === 'held') return opened;
  const { team } = opened;
  const { link, store, releases } = team;
  let worker: Worker | undefined;
  const shared: OpenTeam['shared'] = {
    lines: new RedisGrowth(place, id, link.left),
    leaveWithin: (ms) => link.leaveWithin(ms),
    queue: (hooks) => {
      const tell = hooks.tell ?? hooks.trouble;
      link.tellTo(tell);
      const queue = new BullMqQueue({
        connect: () => link.connect('queue'),
        names: link.names,
        clock: link.clock,
        onTrouble: tell,
      });
      releases.add('queue', async () => {
        await queue.close();
      });
      const mirror = new Mirror(house, link, id, folder, (line) => hooks.trouble(line));
      releases.add('mirror', () => mirror.close());
      store.onEntry(
        () => mirror.look(),
        () => {}, // Looking soon does not throw.
      );
      if (mode === 'open') mirror.look();
      return new SharedTurns({ team: id, link, store, folder, queue, ...hooks });
    },
    kill: () => worker?.kill(id),
    serve: async (concurrency, graceMs, onTrouble) => {
      if (!place.takesTurns) return;
      const started = await Worker.start(house, place, {
        concurrency,
        graceMs,
        pools: ['any', 'host'],
        bounds: NO_BOUNDS,
        coordinates: id,
        onTrouble,
      });
      worker = started;
      releases.add('worker', () => started.close());
    },
  };
  return { kind: 'open', team: { ...team, shared } };
}
