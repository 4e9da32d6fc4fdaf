/**
 * The connections that BullMQ works over: made by a factory of the caller, owned and released here, so that their
 * errors have a listener for as long as they live and their end needs no answer of the server.
 *
 * BullMQ itself opens, closes and reports no connection of ours (it is told that they are shared).
 */

import {
  type BackendFactory,
  type ConnectionOptions,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
} from 'bullmq';
import type { Redis } from 'ioredis';
import { orAborted } from '../shared/abort.js';
import { BugError, errorText } from '../shared/errors.js';
import type { RedisNames } from '../shared/redis-names.js';
import { ANYWHERE, poolOfBriefs, poolOfHost } from './job.js';

/**
 * Makes a new client that connects and reconnects by itself, for ever, without giving a command up
 * (`maxRetriesPerRequest: null`).
 */
export type Connect = () => Redis;

export class QueueLink {
  readonly #connect: Connect;
  readonly #names: RedisNames;
  readonly #hear: (error: unknown) => void;
  readonly #opened: Redis[] = [];
  #shared: Redis | undefined;
  #becomesReady: Promise<void> | undefined;

  /** @param hear every error of every connection; must not throw */
  constructor(connect: Connect, names: RedisNames, hear: (error: unknown) => void) {
    this.#connect = connect;
    this.#names = names;
    this.#hear = hear;
  }

  /** What a Queue or Worker of BullMQ is made with, beside its name. */
  options(): { readonly connection: ConnectionOptions; readonly prefix: string } {
    return { connection: this.#client(), prefix: this.#names.queueKeys };
  }

  /** Gives a Queue or Worker its connections: one for all, and for each Worker one more that blocks. */
  readonly backend: BackendFactory<RedisQueueBackend, ConnectionOptions> = (name, options, wish) => {
    const shared = { shared: true, blocking: false };
    const keys = new QueueKeys(this.#names.queueKeys);
    return new RedisQueueBackend(
      new RedisConnection(this.#client(), shared),
      name,
      keys.getKeys(name),
      (type) => keys.toKey(name, type),
      options,
      wish?.withBlockingConnection === true ? new RedisConnection(this.#open(), shared) : undefined,
    );
  };

  /** Resolves when commands may be sent; rejects with `CancelledError` when the signal fires first. */
  async ready(signal: AbortSignal): Promise<void> {
    const client = this.#client();
    if (client.status === 'ready') return;
    // One listener for all who wait.
    this.#becomesReady ??= new Promise((resolve) => {
      client.once('ready', () => {
        this.#becomesReady = undefined;
        resolve();
      });
    });
    await orAborted(this.#becomesReady, signal);
  }

  /**
   * Hears an error that came as an answer. One that says that this server takes no writes any more means that the
   * address leads elsewhere by now: the lines to the old one are left. (The client does that itself only where the
   * whole answer is the error, not a part of it.)
   */
  heard(error: unknown): void {
    if (/\bREADONLY\b/.test(errorText(error))) for (const client of this.#opened) client.disconnect(true);
    this.#hear(error);
  }

  /** Ends every connection at once. What was asked and has no answer rejects. */
  disconnect(): void {
    // Of a socket that has closed the library sets its timer too, and nothing takes it off: it would hold the process.
    for (const client of this.#opened) if (client.status !== 'end') client.disconnect();
  }

  #client(): Redis {
    this.#shared ??= this.#open();
    return this.#shared;
  }

  #open(): Redis {
    const client = this.#connect();
    client.on('error', this.#hear);
    // BullMQ would connect a lazy client itself and stay without one for ever when the first try fails.
    if (client.status === 'wait') client.connect().catch(this.#hear);
    this.#opened.push(client);
    return client;
  }
}

/** The name of a pool's queue. */
export function queueOf(names: RedisNames, pool: string): string {
  if (pool === ANYWHERE) return names.turns;
  const name = pool.slice(pool.indexOf('.') + 1);
  if (pool === poolOfHost(name)) return names.turnsOf(name);
  if (pool === poolOfBriefs(name)) return names.briefs(name);
  throw new BugError('no-such-pool', `"${pool}" is no pool: see src/dispatch/job.ts`);
}
