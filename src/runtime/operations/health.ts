/**
 * `/healthz` and `/metrics` of a process that serves teams, for whoever watches over it (spec/engine.md §3, spec/runner.md §5).
 *
 *  H1 healthy is who makes progress: each thing that it has to do again and again was done within the bound. That its server
 *     answers a ping is none: a client that reconnects for ever would look well (design: library facts);
 *  H2 nothing of a team is told, no id and no text; nothing can be changed; who asks slowly or for something else is cut off;
 *  H3 nothing is left when it is closed: it waits for nobody who listens.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemCode, UserError } from '../../shared/errors.js';
import type { Meters } from '../../shared/meters.js';

/** A thing that is done again and again, and how long ago it was last. */
export interface Progress {
  readonly what: string;
  readonly silentMs: number;
}

export interface HealthPlace {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** How long each thing may be silent. */
  readonly withinMs: number;
  /** Must not throw. */
  readonly progress: () => readonly Progress[];
  readonly meters: Meters;
}

export interface Health {
  /** `http://<host>:<port>`. */
  readonly address: string;
  close(): Promise<void>;
}

/** How long a question may take to arrive. */
const REQUEST_MS = 5_000;
/** Those who watch are few. */
const CONNECTIONS = 32;

/** Listens. Rejects with `UserError` `health-address` where that is not possible. */
export async function serveHealth(place: HealthPlace): Promise<Health> {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, keepAliveTimeout: REQUEST_MS },
    (request, response) => answer(place, request, response),
  );
  server.maxConnections = CONNECTIONS;
  await listening(server, place);
  const { port } = server.address() as AddressInfo;
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  return {
    address: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** How long ago each thing was done, by name; what is not to be done now is left out. */
export function progressOf(
  now: number,
  doneAt: Readonly<Record<string, number | undefined>>,
): readonly Progress[] {
  return Object.entries(doneAt).flatMap(([what, at]) =>
    at === undefined ? [] : [{ what, silentMs: Math.max(0, now - at) }],
  );
}

/** Why a process is not healthy; empty when it is. */
export function silences(progress: readonly Progress[], withinMs: number): readonly string[] {
  return progress
    .filter(({ silentMs }) => silentMs > withinMs)
    .map(
      ({ what, silentMs }) =>
        `${what}: nothing for ${seconds(silentMs)} s, allowed are ${seconds(withinMs)} s`,
    );
}

function listening(server: Server, { host, port }: HealthPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const what = `nobody can listen on ${host}:${port} (${systemCode(error) ?? error.message})`;
      const remedy =
        'another program has it, or it is no address of this machine: name another with --health';
      reject(new UserError('health-address', `${what}; ${remedy}`, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      server.on('error', () => {}); // A connection that could not be taken: who asked asks again.
      resolve();
    });
  });
}

function answer(place: HealthPlace, request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '' } = request;
  const say = (status: number, type: string, text: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : text);
  };
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    say(405, 'text/plain', 'only looking is possible here\n');
    return;
  }
  switch (url.split('?')[0]) {
    case '/healthz': {
      const progress = place.progress();
      const reasons = silences(progress, place.withinMs);
      const silent = Object.fromEntries(progress.map(({ what, silentMs }) => [what, seconds(silentMs)]));
      const said = {
        ok: reasons.length === 0,
        within_seconds: seconds(place.withinMs),
        silent_seconds: silent,
        reasons,
      };
      say(said.ok ? 200 : 503, 'application/json', `${JSON.stringify(said)}\n`);
      return;
    }
    case '/metrics':
      say(200, 'text/plain; version=0.0.4; charset=utf-8', place.meters.text());
      return;
    default:
      say(404, 'text/plain', 'there are /healthz and /metrics\n');
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
