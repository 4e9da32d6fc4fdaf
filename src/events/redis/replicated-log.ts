/**
 * `durability: strict`: an entry that allows an effect outside of the record is answered only when a replica has it as well, so
 * that no fail-over forgets what was done (spec/engine.md §1 "Loss"). The entry is in the log from the beginning, and who reads
 * on sees it; what waits is whoever would act on it.
 *
 *  D1 what a replica is asked for is everything up to a write of this connection that was made behind the entry, and that
 *     finds the entry still there: a server that was changed for another in between has neither;
 *  D2 the server is asked for a moment at a time: what else goes over the connection, leases above all, never waits longer.
 */

import type { LogEntry } from '../log-entry.js';
import type { EventLog } from '../record.js';
import { ALL_SIZES } from './guarded-script.js';
import type { RedisReach } from './redis-reach.js';
import { NotReplicatedError } from './redis-trouble.js';
import type { TeamWrites } from './team-writes.js';

/** Facts behind which a tool is run, or an order leaves. */
const ALLOWS: ReadonlySet<string> = new Set(['tool.started', 'brief.sent', 'brief.accepted']);

/** How long the server may hold the connection for a replica, in milliseconds. */
const SLICE_MS = 100;

const REPLICAS = 1;

/** The log, whose answer to such an entry waits for a replica. */
export function replicatedLog(log: EventLog, reach: RedisReach, writes: TeamWrites, sizes: string): EventLog {
  return {
    writers: log.writers,
    ...(log.snapshots === undefined ? {} : { snapshots: log.snapshots }),
    read: (from) => log.read(from),
    append: async (entry) => {
      const outcome = await log.append(entry);
      if (outcome.kind === 'appended' && allowsEffect(entry)) await onReplica(reach, writes, sizes);
      return outcome;
    },
  };
}

/** Whether somebody acts on it outside of the record. */
export function allowsEffect({ facts }: LogEntry): boolean {
  return facts.some(({ type }) => ALLOWS.has(type));
}

/** Adds nothing: what the guard looks for, and that it is a write, is all. */
async function onReplica(reach: RedisReach, writes: TeamWrites, sizes: string): Promise<void> {
  const counted = { name: ALL_SIZES, bytes: 0 };
  const nothing = { command: 'HSETNX', key: sizes, args: [ALL_SIZES, '0'], behind: null, counted } as const;
  await reach.write(async (client) => {
    await writes.send(client, nothing);
    const reached = await client.wait(REPLICAS, SLICE_MS);
    if (Number(reached) < REPLICAS) throw new NotReplicatedError();
  });
}
