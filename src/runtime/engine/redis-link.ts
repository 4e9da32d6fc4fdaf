/**
 * What a process needs of Redis beside records: a connection, the server's time, leases. One per purpose, owned by whoever
 * opens it: a look at a team, a team that is run, a worker.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LeaseKeeper } from '../../dispatch/lease-keeper.js';
import type { Holder, LeaseHouse } from '../../dispatch/leases.js';
import type { QueueTracing } from '../../dispatch/tracing.js';
import { TroubleLines } from '../../dispatch/trouble-lines.js';
import { RedisConnection } from '../../events/redis/connection.js';
import { ServerClock } from '../../events/redis/server-clock.js';
import { orAborted, within } from '../../shared/abort.js';
import { CancelledError, errorText, FatalError, systemCode, UserError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import type { House, RedisPlace } from '../house.js';

/** How long a server is waited for before it counts as away, in milliseconds: a person or a job waits. */
const REACH_MS = 10_000;

/** How long a good-bye may take. */
const CLOSE_MS = 500;

export type { RedisPlace } from '../house.js';

export interface RedisLink extends LeaseHouse {
  readonly place: RedisPlace;
  readonly connection: RedisConnection;
  readonly clock: ServerClock;
  readonly holder: Holder;
  /** A new client for the queue library, which is its to end. */
  readonly connect: (purpose: 'queue' | 'blocking') => RedisConnection['client'];
  /** What spans of jobs are made with; undefined: nobody has asked for them. */
  readonly tracing: QueueTracing | undefined;
  /** What was asked of the server in vain and is asked again: told once for as long as it goes on. */
  readonly trouble: TroubleLines;
  /** From now on troubles are told here; must not throw. */
  tellTo(onTrouble: (text: string) => void): void;
  /** Fires when nothing waits for the server any more. */
  readonly left: AbortSignal;
  /** This process has to end: what still waits for the server after so long is told that it does not answer. */
  leaveWithin(ms: number): void;
  close(): Promise<void>;
}

export interface LinkOptions {
  /** Hears of what leases and records have asked in vain; must not throw. */
  readonly onTrouble?: ((text: string) => void) | undefined;
  /** It is not to be opened after all. */
  readonly stopped?: AbortSignal | undefined;
  /** Who this process is already; somebody new unless given. */
  readonly holder?: Holder | undefined;
}

/**
 * Opens the way to a Redis. Rejects with `UserError` `redis-denied`, `redis-certificate` or `redis-client-certificate`, with
 * `FatalError` `redis-unreachable` when the server does not answer within ten seconds, and with `CancelledError` when it was stopped before it has.
 */
export async function openLink(
  house: Pick<House, 'clock' | 'hostname' | 'operations'>,
  place: RedisPlace,
  options: LinkOptions = {},
): Promise<RedisLink> {
  const { onTrouble = () => {}, stopped: signal = new AbortController().signal } = options;
  const { address, names, timing } = place;
  const connection = new RedisConnection(address, 'record');
  try {
    const reached = within(signal, REACH_MS);
    await connection.ready(reached).catch((error: unknown) => {
      if (signal.aborted || connection.lastError === undefined || error instanceof UserError) throw error;
      const why = errorText(connection.lastError);
      throw new FatalError('redis-unreachable', `${connection.shown} does not answer: ${why}`, {
        cause: error,
      });
    });
    const clock = await orAborted(ServerClock.ask(connection.client, house.clock), reached);
    let tell = onTrouble;
    const trouble = new TroubleLines((text) => tell(text), clock);
    const keeper = new LeaseKeeper({
      client: connection.client,
      clock,
      timing,
      onTrouble: (error) => trouble.hear(error),
    });
    const left = new AbortController();
    let leaving: NodeJS.Timeout | undefined;
    const leave = (): void => {
      left.abort(new CancelledError('left', `${connection.shown} has not answered, and this process ends`));
      void connection.close(0);
    };
    return {
      place,
      connection,
      client: connection.client,
      names,
      clock,
      keeper,
      holder: options.holder ?? { id: ulid(house.clock.wallMs()), host: house.hostname, pid: process.pid },
      tracing: house.operations?.tracing,
      connect: (purpose) => new RedisConnection(address, purpose).client,
      trouble,
      tellTo: (hear) => {
        tell = hear;
      },
      left: left.signal,
      leaveWithin: (ms) => {
        leaving ??= setTimeout(leave, ms);
      },
      close: async () => {
        clearTimeout(leaving);
        await keeper.close();
        await connection.close(CLOSE_MS);
      },
    };
  } catch (error) {
    await connection.close(CLOSE_MS);
    throw error;
  }
}

/** The folder of a team on Redis on this machine: its workspace where it has one of its own, and its processes. */
export function redisFolder(house: Pick<House, 'home'>, { names }: RedisPlace, id: string): string {
  return join(house.home, 'served', names.prefix, id);
}

/** The ids of the teams that have a folder on this machine. */
export async function servedHere(
  house: Pick<House, 'home'>,
  { names }: RedisPlace,
): Promise<readonly string[]> {
  try {
    return await readdir(join(house.home, 'served', names.prefix));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
