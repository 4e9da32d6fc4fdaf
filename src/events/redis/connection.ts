/**
 * Connections to Redis, one way to make each kind. What they must be was measured (design: library facts):
 *
 *  C1 every client has a listener for errors: without one a dropped Redis ends the process;
 *  C2 a command of `record` is sent once, by its sender, on a live connection, or not at all: no queue while Redis is
 *     away, no re-sending, no retry. Then a broken connection is an unknown outcome that the record itself looks into; a
 *     client that sends again makes a writer lose to its own entry. (With re-sending off alone the promise would never
 *     settle: `maxRetriesPerRequest: 0` settles it.)
 *  C3 a connection of `blocking` waits for ever for its server (the queue library refuses anything else), and yet no
 *     blocking command hangs: `blockingTimeout` settles those whose connection was lost without a word;
 *  C4 `keyPrefix` and `commandTimeout` are used nowhere: the queue library refuses the first, and the second rejects a
 *     command that is sent later all the same;
 *  C5 a server that says nothing for a while is asked on a new connection: a line that broke without a sound would else
 *     be waited on for a quarter of an hour.
 */

import type { Redis, RedisOptions } from 'ioredis';
import { cancelled } from '../../shared/abort.js';
import { errorText, FatalError, systemCode, UserError } from '../../shared/errors.js';
import { GatheringClient } from './gathering-client.js';
import type { RedisAddress } from './redis-address.js';
import { isDenial } from './redis-trouble.js';

/**
 * `record`: log, transcripts, blobs, leases: every command answers for itself. `queue`: adds jobs, which are hints, so
 * what cannot be added now is refused now. `blocking`: workers of the queue library, and all it opens for them.
 */
export type RedisPurpose = 'record' | 'queue' | 'blocking';

export interface ConnectionOptions {
  /** Hears of every error of the connection; must not throw. The last one is kept in any case. */
  readonly onError?: (error: Error) => void;
  /** Of a connection for `record`: how long the server may say nothing before it is asked on a new line; 10 s unless given. */
  readonly silenceMs?: number;
  /**
   * Of a connection for `blocking`: after how long a command without a bound of its own is settled, for who wants to go on
   * to ask again; 30 s unless given.
   */
  readonly blockingMs?: number;
}

/** Between two attempts to reach a server: doubled from the first to the last, with up to the jitter on top. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;
const RETRY_JITTER_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;
/** A Redis that answers takes milliseconds; one that is loading says so. */
const SILENCE_MS = 10_000;
/** How long the half-closed socket of a server that has stopped answering may hold a process that wants to end. */
const DISCONNECT_MS = 500;
const BLOCKING_MS = 30_000;
/** What a reply may be late without being taken for lost; the queue library drops the connection after 1,000. */
const BLOCKING_GRACE_MS = 500;

/** A client of Redis with its owner's duties: it can be waited for, it can be closed, it is shown without a password. */
export class RedisConnection {
  readonly client: Redis;
  /** Where it goes, for people. */
  readonly shown: string;
  #lastError: Error | undefined;
  /** Fires when the owner closes it: a client that is told to end between two attempts says nothing of it. */
  readonly #closing = new AbortController();

  /** Opens nothing: the first command or `ready` does. */
  constructor(address: RedisAddress, purpose: RedisPurpose, options: ConnectionOptions = {}) {
    const { onError, silenceMs = SILENCE_MS, blockingMs = BLOCKING_MS } = options;
    this.shown = address.shown;
    this.client = new GatheringClient(clientOptions(address, purpose, { silenceMs, blockingMs }));
    this.client.on('error', (error: Error) => {
      this.#lastError = error;
      onError?.(error);
    });
    this.client.on('ready', () => {
      this.#lastError = undefined;
    });
  }

  /** The newest error since the connection was last ready. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /**
   * Resolves when commands can be sent; at once when they can. Rejects with `UserError` `redis-denied` when the server
   * refuses these credentials, `redis-client-certificate` when it wants another certificate of ours, `redis-certificate`
   * when it shows one that is not to be trusted or does not speak TLS where the address says so, with `FatalError` `redis-closed` when the connection was closed, and with the signal's
   * reason; as long as none of that happens it goes on trying.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.client.status === 'ready') return;
    if (signal.aborted) throw cancelled(signal);
    if (this.#closing.signal.aborted) throw this.#closed();
    await this.#becomesReady(signal);
  }

  /**
   * Says good-bye, for at most the given time, and ends the connection whatever became of that. Idempotent.
   * Not for a connection that a blocking command is on: the good-bye would wait behind it.
   */
  async close(withinMs: number): Promise<void> {
    this.#closing.abort();
    if (this.client.status === 'ready') {
      const bye = this.client.quit().catch(() => undefined); // It is ended below in any case.
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([bye, deadline]);
      clearTimeout(timer);
    }
    // Of a socket that has closed the library sets its timer too, and nothing takes it off: it would hold the process.
    if (this.client.status !== 'end') this.client.disconnect();
  }

  #becomesReady(signal: AbortSignal): Promise<void> {
    const { client } = this;
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        client.off('ready', onReady);
        client.off('end', onEnd);
        client.off('error', onError);
        this.#closing.signal.removeEventListener('abort', onEnd);
        signal.removeEventListener('abort', onAbort);
        how();
      };
      const onReady = (): void => settle(resolve);
      const onEnd = (): void => settle(() => reject(this.#closed()));
      const onAbort = (): void => settle(() => reject(cancelled(signal)));
      const onError = (error: Error): void => {
        if (isDenial(errorText(error))) settle(() => reject(this.#denied(error)));
        else if (isUnknown(error)) settle(() => reject(this.#unknown(error)));
        else if (isDistrust(error)) settle(() => reject(this.#distrusted(error)));
      };
      client.once('ready', onReady);
      client.once('end', onEnd);
      client.on('error', onError);
      this.#closing.signal.addEventListener('abort', onEnd, { once: true });
      signal.addEventListener('abort', onAbort, { once: true });
      // A failed attempt is told by the events above, and the client makes the next one by itself.
      if (client.status === 'wait') client.connect().catch(() => undefined);
      else if (client.status === 'end') onEnd();
    });
  }

  #closed(): FatalError {
    return new FatalError('redis-closed', `the connection to ${this.shown} is closed`, {
      cause: this.#lastError,
    });
  }

  #distrusted(cause: Error): UserError {
    const what = `${this.shown} cannot be trusted: ${errorText(cause)}`;
    const remedy =
      'name the file with the CA of this server in BNERD_REDIS_CA, and the server by a name of its certificate';
    return new UserError('redis-certificate', `${what}; nothing was sent; ${remedy}`, { cause });
  }

  #unknown(cause: Error): UserError {
    const what = `${this.shown} wants another certificate of this machine: ${errorText(cause)}`;
    const remedy =
      'name the files with one that this server takes and with its key in BNERD_REDIS_CERT and BNERD_REDIS_KEY';
    return new UserError('redis-client-certificate', `${what}; ${remedy}`, { cause });
  }

  #denied(cause: Error): UserError {
    const what = `${this.shown} refuses these credentials: ${errorText(cause)}`;
    return new UserError('redis-denied', `${what}; give the user and password of this server`, { cause });
  }
}

/** Everything the library would decide by itself, said. */
function clientOptions(
  address: RedisAddress,
  purpose: RedisPurpose,
  { silenceMs, blockingMs }: Required<Pick<ConnectionOptions, 'silenceMs' | 'blockingMs'>>,
): RedisOptions & { readonly replyMapping: 'legacy' } {
  return {
    ...placeOf(address),
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    db: address.database,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: (times) =>
      Math.min(FIRST_RETRY_MS * 2 ** (times - 1), LAST_RETRY_MS) + Math.random() * RETRY_JITTER_MS,
    // Behind an address that fails over the connection may still lead to what has become a replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(purpose === 'record' ? { socketTimeout: silenceMs } : {}),
    ...(purpose === 'blocking' ? { blockingTimeout: blockingMs } : {}),
    ...BY_PURPOSE[purpose],
    replyMapping: 'legacy',
  };
}

const BY_PURPOSE: Readonly<Record<RedisPurpose, RedisOptions>> = {
  record: {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  },
  queue: { maxRetriesPerRequest: null, enableOfflineQueue: false },
  blocking: {
    maxRetriesPerRequest: null,
    blockingTimeoutGrace: BLOCKING_GRACE_MS,
  },
};

/** It does not take what it was shown of who we are, or asks for what it was not shown. */
function isUnknown(error: Error): boolean {
  return UNKNOWN.test(systemCode(error) ?? '');
}

/** The alerts of TLS about the certificate of a client, as OpenSSL names them. */
const UNKNOWN =
  /^ERR_SSL_(TLSV13|TLSV1|SSLV3|SSL\/TLS)_ALERT_(CERTIFICATE_(REQUIRED|UNKNOWN|EXPIRED|REVOKED)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

/** There is no way to this server that nobody else could be at: trying again would not make one. */
function isDistrust(error: Error): boolean {
  return DISTRUST.test(systemCode(error) ?? '');
}

/** As Node names what it finds of a certificate, and that there is none (EPROTO: the other side does not speak TLS). */
const DISTRUST = /^(CERT_|ERR_TLS_CERT|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|EPROTO$)/;

function placeOf({ place, ca, client }: RedisAddress): RedisOptions {
  if (place.kind === 'socket') return { path: place.path };
  const { host, port, tls } = place;
  return {
    host,
    port,
    ...(tls === 'yes' ? { tls: { ...(ca === undefined ? {} : { ca }), ...client } } : {}),
  };
}
