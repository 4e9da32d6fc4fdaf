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
  /** Resolves when so many bytes more were sent to the server by one line, which hands on nothing from then on. */
  holdAfter(bytes: number): Promise<void>;
}

/** A proxy of the running test, closed when it has ended. */
export async function redisProxy(first: RedisServer): Promise<RedisProxy> {
  let target: RedisServer | undefined = first;
  const sockets = new Set<Socket>();
  let hold: { readonly after: number; readonly met: () => void } | undefined;
  const listener = createServer((near) => {
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = createConnection(target.socket);
    const from = new Map<typeof hold, number>();
    near.on('data', (chunk: Buffer) => {
      if (hold === undefined) return;
      const sent = (from.get(hold) ?? 0) + chunk.length;
      from.set(hold, sent);
      if (sent < hold.after) return;
      near.unpipe(far);
      hold.met();
      hold = undefined;
    });
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
    holdAfter: (after) =>
      new Promise((met) => {
        hold = { after, met };
      }),
  };
}
