/**
 * A line to a Redis that a test can break or lead elsewhere: an address on loopback that stays the same, as one that
 * fails over does.
 */

import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RedisServer } from './redis-server.js';

export interface RedisProxy {
  readonly url: string;
  /** Breaks every line. New ones are taken and broken as well until `leadTo`. */
  cut(): void;
  /** New lines go there; those that stand go where they went. */
  leadTo(server: RedisServer): void;
}

/** A proxy of the running test, closed when it has ended. */
export async function redisProxy(first: RedisServer): Promise<RedisProxy> {
  let target: RedisServer | undefined = first;
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = createConnection(target.socket);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const cut = (): void => {
    target = undefined;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    listener.close();
  });
  return {
    url: `redis://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut,
    leadTo: (server) => {
      target = server;
    },
  };
}
