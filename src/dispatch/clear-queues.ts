/**
 * Takes off the queues what nobody will ask for any more: the jobs of a team that was put away, and, when the last team
 * under a prefix has gone and nobody serves it, what the queue library keeps of the queues themselves.
 *
 * A job is a hint: one that is taken off by mistake is asked for again a beat later.
 */

import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { sleep } from '../shared/abort.js';
import type { RedisNames } from '../shared/redis-names.js';
import { scanKeys } from '../shared/scan-keys.js';
import { type Connect, QueueLink } from './queue-link.js';

export interface QueuesHouse {
  /** Fails at once while the server is away. */
  readonly client: Redis;
  readonly names: RedisNames;
  /** A client for the queue library. */
  readonly connect: (purpose: 'queue') => ReturnType<Connect>;
}

/** Between two looks at jobs that a worker is about to be done with, in milliseconds. */
const LOOK_MS = 50;

/**
 * Takes every job of a team off its queues, whatever its state.
 * @param signal ends the wait for those that a worker has: they are done when it finds that the team is gone
 */
export async function removeJobs(house: QueuesHouse, team: string, signal: AbortSignal): Promise<void> {
  const { client, names } = house;
  let jobs = jobsIn(names, await scanKeys(client, names.everyJobOf(team)));
  if (jobs.size === 0) return;
  const link = new QueueLink(
    () => house.connect('queue'),
    names,
    () => {},
  );
  const queues = new Map<string, Queue>();
  try {
    await link.ready(signal);
    for (; jobs.size > 0; jobs = jobsIn(names, await scanKeys(client, names.everyJobOf(team)))) {
      for (const { queue: name, id } of jobs.values()) {
        const queue = queues.get(name) ?? opened(name, link);
        queues.set(name, queue);
        await queue.remove(id);
      }
      await sleep(LOOK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  } finally {
    link.disconnect();
    await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
  }
}

/** Deletes the queues themselves, unless there is a team, or a worker or runner that serves them. */
export async function removeQueues({ client, names }: Pick<QueuesHouse, 'client' | 'names'>): Promise<void> {
  if ((await client.zcard(names.teams)) > 0) return;
  if ((await scanKeys(client, names.everyWorker)).length > 0) return;
  if ((await scanKeys(client, names.everyRunner)).length > 0) return;
  for (const key of await scanKeys(client, names.everyQueueKey)) await client.unlink(key);
}

/** No id of ours holds a colon; what stands behind a second one is the library's word for a key beside the job. */
function jobsIn(
  { queueKeys }: RedisNames,
  keys: readonly string[],
): Map<string, { readonly queue: string; readonly id: string }> {
  const jobs = new Map<string, { queue: string; id: string }>();
  for (const key of keys) {
    const [queue = '', id = ''] = key.slice(queueKeys.length + 1).split(':');
    jobs.set(`${queue}:${id}`, { queue, id });
  }
  return jobs;
}

function opened(name: string, link: QueueLink): Queue {
  const queue = new Queue(name, { ...link.options(), skipMetasUpdate: true }, link.backend);
  queue.on('error', () => undefined); // A command that fails rejects; of the connection the link hears.
  return queue;
}
