/**
 * The rest of the network, as far as a program obeys the usual variables: a proxy on loopback that lets nothing through
 * and writes down who was asked for.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Releases } from '../../../src/shared/releases.js';

export interface Outside {
  /** Variables for the program that is not to go out. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts that it asked for; loopback is no outside. */
  readonly attempts: readonly string[];
}

export async function startOutside(releases: Releases): Promise<Outside> {
  const attempts: string[] = [];
  const server = createServer((request, response) => {
    attempts.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    attempts.push(request.url ?? '');
    socket.on('error', () => {});
    socket.end('HTTP/1.1 502 nothing goes out\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  releases.add('outside', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return {
    env: {
      ...Object.fromEntries(names.map((name) => [name, url])),
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    },
    attempts,
  };
}
