/**
 * The far side of `web_fetch` on loopback: web servers that do as a test says and tell what they heard, a name server
 * that computes its answers. Everything is closed when the test has ended.
 */

import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Resolve } from '../../../src/tools/web/resolve.js';
import type { Certificate } from '../../helpers/certificate.js';

export interface FarSide {
  readonly port: number;
  /** Request lines and headers, in order. */
  readonly heard: readonly Pick<IncomingMessage, 'url' | 'method' | 'headers'>[];
  /** How many connections were made. */
  connections(): number;
  /** How many are open. */
  open(): number;
}

/** A web server; with a certificate it speaks https. */
export async function webServer(
  answer: RequestListener,
  { address = '127.0.0.1', certificate }: { address?: string; certificate?: Certificate } = {},
): Promise<FarSide> {
  const heard: FarSide['heard'][number][] = [];
  const listener: RequestListener = (request, response) => {
    heard.push({ url: request.url, method: request.method, headers: request.headers });
    answer(request, response);
  };
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer({ ...certificate }, listener);
  return { ...(await listening(server, address)), heard };
}

/** A server that speaks what a web server would not. */
export async function rawServer(
  talk: (socket: Socket) => void,
  address = '127.0.0.1',
): Promise<Omit<FarSide, 'heard'>> {
  return listening(
    createTcpServer((socket) => {
      talk(socket);
      socket.resume(); // else the end of what the near side says is never seen
    }),
    address,
  );
}

async function listening(server: Server, address: string): Promise<Omit<FarSide, 'heard'>> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}); // the near side hangs up whenever it has enough
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, open: () => sockets.size };
}

/**
 * A name server, and what resolves with it over the wire.
 * @param answers the IPv4 addresses of a name, computed for each question
 */
export async function nameServer(
  answers: (name: string, asked: number) => readonly string[],
): Promise<Resolve> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (question, from) => {
    const { name, end } = questionOf(question);
    const isV4 = question.readUInt16BE(end) === 1;
    const count = asked.get(name) ?? 0;
    if (isV4) asked.set(name, count + 1);
    const addresses = isV4 ? answers(name, count) : [];
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([head, question.subarray(12, end + 4), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => new Promise<void>((closed) => socket.close(() => closed())));
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return (name) => resolver.resolve4(name);
}

function questionOf(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
