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
  return speaking(certificateFor(...names), null);
}

/** Files of a certificate and its key; whoever trusts it trusts no other. */
export interface ClientFiles {
  readonly cert: string;
  readonly key: string;
}

/** One that asks who is there, and takes the certificate of `client` and no other. */
export async function askingRedis(
  ...names: readonly string[]
): Promise<TlsRedis & { readonly client: ClientFiles }> {
  const [client, certificate] = [await clientFiles(), certificateFor(...names)];
  return { ...(await speaking(certificate, client.certificate)), client };
}

export async function clientFiles(): Promise<ClientFiles & { readonly certificate: Certificate }> {
  const certificate = certificateFor('client');
  return { ...(await filesOf(certificate)), certificate };
}

async function filesOf(certificate: Certificate): Promise<ClientFiles> {
  const folder = await tempDir('tls');
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, certificate.cert);
  await writeFile(key, certificate.key, { mode: 0o600 });
  return { cert, key };
}

/** @param taken the certificate that a client has to show; null: it is not asked for one */
async function speaking(certificate: Certificate, taken: Certificate | null): Promise<TlsRedis> {
  const { cert, key } = await filesOf(certificate);
  const known = taken === null ? cert : (await filesOf(taken)).cert;
  const port = await freePort();
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', known];
  const asks = ['--tls-auth-clients', taken === null ? 'no' : 'yes'];
  const config = ['--bind', '127.0.0.1', '--tls-port', String(port), ...files, ...asks];
  try {
    return { server: await privateRedis({ config }), port, ca: cert };
  } catch (error) {
    if (!/Bad directive|without TLS|tls/i.test(String(error))) throw error;
    const server = await privateRedis();
    return { server, port: await tlsLine(server, certificate, taken), ca: cert };
  }
}

async function tlsLine(
  server: RedisServer,
  { key, cert }: Certificate,
  taken: Certificate | null,
): Promise<number> {
  const asked = taken === null ? {} : { requestCert: true, rejectUnauthorized: true, ca: taken.cert };
  const listener = createServer({ key, cert, ...asked }, (near) => {
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
