/**
 * A connection to an address that was checked, and to no other: no name is resolved here. For https the certificate is
 * checked against the name that was asked for. Through a proxy that the operator has configured the same holds: it is
 * asked for a tunnel to the address.
 */

import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { cancelled } from '../../shared/abort.js';
import { familyOf } from '../../shared/address-range.js';
import { errorText, systemCode } from '../../shared/errors.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { WebTarget } from './web-url.js';

export interface ConnectOptions {
  /** Its address is the operator's word and is not checked. */
  readonly proxy: { readonly host: string; readonly port: number } | null;
  /** Certificates of authorities instead of those of the system, PEM. */
  readonly authorities?: string;
  /** Longest wait for a connection, in milliseconds. */
  readonly connectMs: number;
}

/**
 * Connects to the first address that answers. The caller destroys the socket.
 * @param addresses from `checkedAddresses`
 */
export async function connect(
  target: WebTarget,
  addresses: readonly string[],
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket | Refusal> {
  let failure = 'no address';
  for (const address of addresses) {
    try {
      const socket = await reach(address, target.port, options, signal);
      return target.secure ? await secured(socket, target, options, signal) : socket;
    } catch (error) {
      if (signal.aborted) throw cancelled(signal);
      failure = failureWords(error);
    }
  }
  return refused(`${target.authority} cannot be connected to: ${failure}`);
}

function reach(
  address: string,
  port: number,
  { proxy, connectMs }: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  if (proxy !== null) return tunnel(proxy, address, port, connectMs, signal);
  const socket = connectTcp({ host: address, port });
  return opened(socket, 'connect', connectMs, signal);
}

/** A proxy is asked for a tunnel, for http as well: a proxy that is asked for a page resolves the name itself. */
function tunnel(
  proxy: { readonly host: string; readonly port: number },
  address: string,
  port: number,
  connectMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const end = `${familyOf(address) === 6 ? `[${address}]` : address}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: end,
      headers: { host: end },
      agent: false,
      signal,
      timeout: connectMs,
    });
    asked.on('timeout', () => asked.destroy(new Error('the proxy does not answer')));
    asked.on('error', reject);
    asked.on('connect', (response, socket, head) => {
      socket.on('error', () => {}); // whoever takes the socket over listens too; until then nobody may fall over it
      if (response.statusCode === 200 && head.length === 0) {
        socket.setTimeout(0);
        resolve(socket);
      } else {
        socket.destroy();
        reject(new Error(`the proxy refuses the tunnel (${response.statusCode})`));
      }
    });
    asked.on('response', (response) => {
      response.destroy();
      reject(new Error(`the proxy refuses the tunnel (${response.statusCode})`));
    });
    asked.end();
  });
}

function secured(
  socket: Socket,
  target: WebTarget,
  { authorities, connectMs }: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const secure = connectTls({
    socket,
    // An address has no name to ask for; the certificate is then checked against the address.
    ...(target.literal === undefined ? { servername: target.host } : { host: target.literal }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    ...(authorities === undefined ? {} : { ca: authorities }),
  });
  return opened(secure, 'secureConnect', connectMs, signal);
}

/** The socket once its event has come; destroyed when it fails, takes too long or is called off. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  connectMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      socket.off('error', onError);
      socket.on('error', () => {}); // told to whoever reads the socket; a late one of an unused socket to nobody
      end();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        socket.destroy();
        reject(error);
      });
    const onError = (error: Error): void => fail(error);
    const onAbort = (): void => fail(cancelled(signal));
    const timer = setTimeout(() => fail(new Error('it does not answer')), connectMs);
    socket.on('error', onError);
    socket.once(event, () => settle(() => resolve(socket)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side hung up',
  EHOSTUNREACH: 'there is no way there',
  ENETUNREACH: 'there is no way there',
  ETIMEDOUT: 'it does not answer',
};

/** What a failure means, without the address that the system's own message holds. */
export function failureWords(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return oneLine(errorText(error));
  if (code.startsWith('ERR_TLS') || /CERT|SIGNATURE|ISSUER|CHAIN/.test(code))
    return `its certificate does not hold for this name (${code})`;
  return `${CODES[code] ?? 'the connection failed'} (${code})`;
}
