/**
 * A smart-HTTP server of git on the loopback interface: `git http-backend` behind Node's server, as any web server
 * runs it (git-http-backend(1)). It serves every repository below one folder and keeps what it was asked.
 */

import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface GitServer {
  /** `http://127.0.0.1:<port>`; a repository is the path below it. */
  readonly url: string;
  /** Method, path and query of each request, in their order. */
  readonly asked: readonly string[];
}

export interface GitServerOptions {
  /** Answers before git does; true when it has. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Starts the server; it ends with the test. */
export async function gitServer(root: string, { first }: GitServerOptions = {}): Promise<GitServer> {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (first?.(request, response) !== true) answer(backend, root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

function answer(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn(backend, {
    env: {
      PATH: process.env['PATH'],
      HOME: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: header('git-protocol'),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {}); // git may answer before it has read everything
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.on('close', () => {
    const whole = Buffer.concat(parts);
    const end = whole.indexOf('\r\n\r\n');
    let status = 200;
    for (const line of whole.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else if (name !== '') response.setHeader(name, value);
    }
    response.writeHead(end === -1 ? 500 : status);
    response.end(whole.subarray(end === -1 ? whole.length : end + 4));
  });
}
