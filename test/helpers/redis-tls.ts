/** A Redis of the running test that speaks TLS: its own where the server was built with it, else behind a line that does. */

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createConnection } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { type Certificate, certificateFor } from './certificate.js';
import { privateRedis } from './redis.js';
import { freePort } from './redis-replica.js';
import type { RedisServer } from './redis-server.js';
import { tempDir } from './temp-dir.js';

export interface TlsRedis {
  readonly server: RedisServer;
  readonly port: number;
  /** File with the certificate that it shows, which is its own CA. */
  readonly ca: string;
}

/** @param names what its certificate is for */
export async function tlsRedis(...names: readonly string[]): Promise<TlsRedis> {
  const certificate = certificateFor(...names);
  const folder = await tempDir('tls');
  const [ca, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(ca, certificate.cert);
  await writeFile(key, certificate.key, { mode: 0o600 });
  const port = await freePort();
  const files = ['--tls-cert-file', ca, '--tls-key-file', key, '--tls-ca-cert-file', ca];
  const config = ['--bind', '127.0.0.1', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
  try {
    return { server: await privateRedis({ config }), port, ca };
  } catch (error) {
    if (!/Bad directive|without TLS|tls/i.test(String(error))) throw error;
    const server = await privateRedis();
    return { server, port: await tlsLine(server, certificate), ca };
  }
}

async function tlsLine(server: RedisServer, { key, cert }: Certificate): Promise<number> {
  const listener = createServer({ key, cert }, (near) => {
    const far = createConnection(server.socket);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  return (listener.address() as AddressInfo).port;
}
