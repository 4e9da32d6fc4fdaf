/**
 * One request for one page over a connection that stands: what it answered, with as much of its body as is wanted.
 *
 *  X1 nothing that the other side says decides how much is read: bytes are counted as they come and as they are
 *     unpacked, whatever `Content-Length` promises, and each is bounded;
 *  X2 a side that falls silent is left after `idleMs`; one that dribbles is left by the caller's signal;
 *  X3 nothing of this machine is told: no cookie, no referrer, one fixed user agent.
 */

import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { cancelled } from '../../shared/abort.js';
import { systemCode } from '../../shared/errors.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import { failureWords } from './connect.js';
import type { WebTarget } from './web-url.js';

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Where it sends us, as written; only of an answer that redirects. */
  readonly location: string | undefined;
  /** `Content-Type` as written, '' without one. */
  readonly type: string;
  /** Unpacked; empty for an answer that redirects. */
  readonly body: Buffer;
  /** There is more than was read. */
  readonly cut: boolean;
}

export interface ExchangeLimits {
  /** Longest silence, in milliseconds. */
  readonly idleMs: number;
  /** Most bytes of a body, as they come and unpacked. */
  readonly bodyBytes: number;
}

const USER_AGENT = 'bnerd web_fetch';

const ACCEPT = 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1';

/** Bytes of all header lines of an answer; Node's own bound, not to be loosened by a flag of it. */
const HEADER_BYTES = 16 * 1024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Asks for the page. The socket is used up. */
export async function exchange(
  target: WebTarget,
  socket: Socket,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<Answer | Refusal> {
  const onAbort = (): void => {
    socket.destroy(cancelled(signal));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let silent = false;
  socket.setTimeout(limits.idleMs, () => {
    silent = true;
    socket.destroy();
  });
  try {
    if (signal.aborted) throw cancelled(signal);
    return await read(target, await headOf(target, socket), limits);
  } catch (error) {
    if (signal.aborted) throw cancelled(signal);
    const why = silent ? `nothing came for ${limits.idleMs} ms` : reason(error);
    return refused(`${target.authority} gave no answer that can be used: ${why}`);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

function headOf({ path, authority }: WebTarget, socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => socket,
      method: 'GET',
      path,
      headers: {
        host: authority,
        'user-agent': USER_AGENT,
        accept: ACCEPT,
        'accept-encoding': 'gzip, deflate, br',
        connection: 'close',
      },
      maxHeaderSize: HEADER_BYTES,
      insecureHTTPParser: false,
    });
    asked.on('error', reject);
    asked.on('response', resolve);
    // Neither an answer in another protocol nor a socket that is gone gives a request an error of its own.
    asked.on('upgrade', () => {
      socket.destroy();
      reject(new Error('it wants to speak another protocol'));
    });
    socket.once('close', () => reject(new Error('the other side hung up')));
    asked.end();
  });
}

async function read(
  target: WebTarget,
  response: IncomingMessage,
  { bodyBytes }: ExchangeLimits,
): Promise<Answer | Refusal> {
  const { statusCode: status = 0, headers } = response;
  const head = { kind: 'answer', status, type: headers['content-type'] ?? '' } as const;
  const { location } = headers;
  if (REDIRECTS.has(status) && location !== undefined) {
    response.on('error', () => {}); // its body is nobody's business
    return { ...head, location, body: Buffer.alloc(0), cut: false };
  }
  const packing = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const unpack = Object.hasOwn(UNPACKERS, packing) ? UNPACKERS[packing] : undefined;
  if (unpack === undefined && packing !== 'identity') {
    return refused(
      `${target.authority} packed its answer as ${JSON.stringify(oneLine(packing, 40))}, which nobody asked for`,
    );
  }
  return { ...head, location: undefined, ...(await bodyOf(response, unpack, bodyBytes)) };
}

/** Thrown to end the stream once enough was read. */
class Enough extends Error {}

async function bodyOf(
  response: IncomingMessage,
  unpack: (() => Transform) | undefined,
  bodyBytes: number,
): Promise<Pick<Answer, 'body' | 'cut'>> {
  const parts: Buffer[] = [];
  let length = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of source) {
      parts.push(piece.subarray(0, bodyBytes - length));
      length += piece.length;
      if (length > bodyBytes) throw new Enough();
    }
  };
  try {
    if (unpack === undefined) await pipeline(response, collect);
    // Packed bytes may unpack to nothing for ever, so they are counted too.
    else await pipeline(response, counted(bodyBytes), unpack(), collect);
    return { body: Buffer.concat(parts), cut: false };
  } catch (error) {
    if (error instanceof Enough) return { body: Buffer.concat(parts), cut: true };
    throw error;
  }
}

function counted(most: number): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (source) {
    let length = 0;
    for await (const piece of source) {
      length += piece.length;
      if (length > most) throw new Enough();
      yield piece;
    }
  };
}

function reason(error: unknown): string {
  const code = systemCode(error) ?? '';
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR_FORMAT') || code.startsWith('ERR_BROTLI'))
    return `its body cannot be unpacked (${code})`;
  if (code === 'HPE_HEADER_OVERFLOW') return `its header lines have more than ${HEADER_BYTES} bytes`;
  if (code.startsWith('HPE_')) return `it does not speak HTTP (${code})`;
  return failureWords(error);
}
