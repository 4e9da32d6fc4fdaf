/**
 * Redis for tests: each has a prefix of its own, and when it has ended nothing is left under it.
 *
 * The server is the one that `BNERD_TEST_REDIS_URL` names, else one that the test file starts (`redis-server.ts`); never
 * one on a default port. A test that breaks its server takes a private one.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import {
  type ConnectionOptions,
  RedisConnection,
  type RedisPurpose,
} from '../../src/events/redis/connection.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import { type RedisNames, redisNames } from '../../src/shared/redis-names.js';
import { hasServer } from './has-server.js';
import { RedisServer, type ServerOptions } from './redis-server.js';

const GIVEN_URL = process.env['BNERD_TEST_REDIS_URL'];
const STARTS = hasServer('redis-server');

/** Declares tests that need a Redis: without one they are skipped, and their title says what to do. */
export function describeRedis(title: string, declare: () => void): void {
  const hint = ' (needs redis-server: install it, or name a server in BNERD_TEST_REDIS_URL)';
  if (GIVEN_URL !== undefined || STARTS) describe(title, declare);
  else describe.skip(title + hint, declare);
}

/** The same for tests that break a server: one that was given to us is not ours to break. */
export function describePrivateRedis(title: string, declare: () => void): void {
  if (STARTS) describe(title, declare);
  else describe.skip(`${title} (needs redis-server: install it)`, declare);
}

export interface TestRedis {
  readonly url: string;
  /** This test's own. */
  readonly prefix: string;
  readonly names: RedisNames;
  /** A new connection, closed when the test has ended. */
  connect(purpose?: RedisPurpose, options?: ConnectionOptions): RedisConnection;
  /** The same over another line to this server (`loopback-proxy.ts`). */
  connectBy(url: string, options?: ConnectionOptions): RedisConnection;
  /** What is under the prefix now, in order. */
  keys(): Promise<readonly string[]>;
}

/**
 * A server for the tests of one file or `describe`; call it where tests are declared. What it gives is called inside of
 * a test: a prefix of its own, removed when the test has ended; then nothing may be left.
 */
export function redisForTests(): () => TestRedis {
  return GIVEN_URL === undefined ? privateRedisForTests() : () => redisAt(GIVEN_URL);
}

/** The same on a server of their own in any case, which they may break as long as they mend it. */
export function privateRedisForTests(options: ServerOptions = {}): () => TestRedis {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    server = await RedisServer.start(options);
  });
  afterAll(async () => {
    if (server === undefined) return;
    const { url } = server;
    try {
      expect(await keysLike(url, '*'), 'nothing was ever written outside of a prefix').toEqual([]);
    } finally {
      await server.remove();
      server = undefined;
    }
  });
  return () => {
    const url = GIVEN_URL ?? server?.url;
    if (url === undefined)
      throw new Error('the server of these tests does not run: was this called in a test?');
    return redisAt(url);
  };
}

/** A server of the running test alone, removed when it has ended. */
export async function privateRedis(options: ServerOptions = {}): Promise<RedisServer> {
  const server = await RedisServer.start(options);
  onTestFinished(() => server.remove());
  return server;
}

/** A prefix that no other test has. */
export function ownPrefix(): string {
  return `t-${randomBytes(6).toString('hex')}`;
}

/** A prefix of its own on a server, removed when the running test has ended. */
export function redisAt(url: string, prefix = ownPrefix()): TestRedis {
  const names = redisNames(prefix);
  const opened: RedisConnection[] = [];
  const keys = (): Promise<readonly string[]> => keysLike(url, names.everyKey);
  onTestFinished(async () => {
    for (const connection of opened) await connection.close(1_000);
    await removeAll(url, names.everyKey);
    // What comes back now was written by somebody who outlived the test.
    expect(await keys(), 'nothing is left in Redis').toEqual([]);
  });
  const open = (to: string, purpose: RedisPurpose, options: ConnectionOptions): RedisConnection => {
    const connection = new RedisConnection(redisAddress(to), purpose, options);
    opened.push(connection);
    return connection;
  };
  return {
    url,
    prefix,
    names,
    keys,
    connect: (purpose = 'record', options = {}) => open(url, purpose, options),
    connectBy: (line, options = {}) => open(line, 'record', options),
  };
}

async function keysLike(url: string, pattern: string): Promise<readonly string[]> {
  const connection = new RedisConnection(redisAddress(url), 'record');
  try {
    await connection.ready(AbortSignal.timeout(10_000));
    return (await scan(connection.client, pattern)).sort();
  } finally {
    await connection.close(1_000);
  }
}

async function removeAll(url: string, pattern: string): Promise<void> {
  const connection = new RedisConnection(redisAddress(url), 'record');
  try {
    await connection.ready(AbortSignal.timeout(10_000));
    const found = await scan(connection.client, pattern);
    if (found.length > 0) await connection.client.del(...found);
  } finally {
    await connection.close(1_000);
  }
}

/** The keys that fit, each once. */
export async function scan(client: RedisConnection['client'], pattern: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
  } while (cursor !== '0');
  return [...new Set(found)];
}
