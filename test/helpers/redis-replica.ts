/** A primary and a replica of the running test, both real, both its own. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { RedisConnection } from '../../src/events/redis/connection.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import { privateRedis } from './redis.js';
import type { RedisServer } from './redis-server.js';
import { until } from './until.js';

export interface Replicated {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
}

/** Starts both, and waits until the one follows the other. */
export async function replicated(): Promise<Replicated> {
  const port = String(await freePort());
  const primary = await privateRedis({
    config: ['--bind', '127.0.0.1', '--port', port, '--repl-diskless-sync-delay', '0'],
  });
  const replica = await privateRedis({ config: ['--replicaof', '127.0.0.1', port] });
  await follows(replica);
  return { primary, replica };
}

/** Waits until a replica has its primary. */
export function follows(replica: RedisServer): Promise<true> {
  return until(
    async () => (await asked(replica, 'INFO', 'replication')).includes('master_link_status:up') || undefined,
    { ms: 60_000, what: 'the replica follows' },
  );
}

/** The answer of a server to one command, as text. */
export async function asked(
  server: RedisServer,
  command: string,
  ...words: readonly string[]
): Promise<string> {
  const connection = new RedisConnection(redisAddress(server.url), 'record');
  try {
    await connection.ready(new AbortController().signal);
    return String(await connection.client.call(command, ...words));
  } finally {
    await connection.close(1_000);
  }
}

/** A port on loopback that nobody has at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
