/**
 * One question's time on the line: a `fetch` for the packages over Node's own HTTP client, and the account of what
 * went wrong there. The built-in `fetch` gives up after five minutes without headers, which a long answer that is not
 * streamed needs, and it follows redirects with the key.
 *
 *  X1 no redirect is followed, and nothing is asked twice;
 *  X2 every wait has a deadline, every body a bound;
 *  X3 `fault` holds the first thing that went wrong, whatever the package makes of it.
 */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BugError, errorText, systemCode } from '../../shared/errors.js';
import { LineError, type LineFault } from './line-fault.js';

/** What an answer may cost in time and memory. */
export interface Bounds {
  /** From the question to the first byte of the answer. */
  readonly headersMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
  readonly answerBytes: number;
}

export const BOUNDS: Bounds = {
  // An answer that is not streamed comes whole: vendors cut one off after ten minutes themselves.
  headersMs: 10 * 60_000,
  // Models that reason say nothing for minutes; vendors' gateways close a silent stream after five.
  idleMs: 5 * 60_000,
  // 128,000 tokens as events of some 300 bytes each are 40 MB.
  answerBytes: 64 * 2 ** 20,
};

/** Messages of providers are short; pages of proxies are not. */
const ERROR_BYTES = 64 * 1024;
/** One vendor goes on with long answers in further requests; without end would be a fault. */
const REQUESTS = 32;

export class Exchange {
  /** Passed to a package as its `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  readonly #signal: AbortSignal;
  readonly #bounds: Bounds;
  readonly #streamed: boolean;
  #request: ClientRequest | null = null;
  #answer: IncomingMessage | null = null;
  #requests = 0;
  #fault: LineFault | null = null;

  constructor(signal: AbortSignal, bounds: Bounds, how: { readonly streamed: boolean }) {
    this.#signal = signal;
    this.#bounds = bounds;
    this.#streamed = how.streamed;
    this.fetch = (url, init) => this.#ask(new URL(String(url)), init ?? {});
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get fault(): LineFault | null {
    return this.#fault;
  }

  /** Ends what is left of the exchange; a connection that was read to its end is kept for the next question. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.#answer?.complete !== true) this.#request?.destroy();
  }

  readonly #onAbort = (): void => {
    this.#request?.destroy();
  };

  async #ask(url: URL, init: RequestInit): Promise<Response> {
    this.#signal.throwIfAborted();
    if (++this.#requests > REQUESTS) throw this.#fail({ kind: 'too-large', bytes: this.#bounds.answerBytes });
    const answer = await this.#send(url, init);
    const status = answer.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      answer.destroy();
      const to = answer.headers.location ?? '';
      throw this.#fail({
        kind: 'redirect',
        status,
        host: URL.canParse(to, url.href) ? new URL(to, url.href).host : '',
      });
    }
    if (status < 200 || status >= 300) {
      const body = await this.#read(answer, { bytes: ERROR_BYTES, cut: true });
      throw this.#fail({ kind: 'status', status, headers: headersOf(answer), body: body.toString() });
    }
    const type = answer.headers['content-type'] ?? '';
    if (/^text\/html/i.test(type)) {
      const page = await this.#read(answer, { bytes: ERROR_BYTES, cut: true });
      throw this.#fail({ kind: 'page', title: titleOf(page.toString()) });
    }
    const body = this.#streamed
      ? this.#stream(answer)
      : new Uint8Array(await this.#read(answer, { bytes: this.#bounds.answerBytes, cut: false }));
    return new Response(body, { status: 200, headers: { 'content-type': type } });
  }

  /** Sends and waits for headers. */
  #send(url: URL, init: RequestInit): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        reject(this.#broken(error));
      };
      const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const timer = setTimeout(() => {
        reject(this.#fail({ kind: 'silent', during: 'headers', ms: this.#bounds.headersMs }));
        this.#request?.destroy();
      }, this.#bounds.headersMs);
      try {
        const { method = 'POST', body } = init;
        if (typeof body !== 'string') throw new BugError('bad-body', 'a question must be a text');
        const headers = { ...sentHeaders(init.headers), 'content-length': Buffer.byteLength(body) };
        const request = start(url, { method, headers });
        this.#request = request;
        this.#answer = null;
        request.on('error', fail);
        request.on('response', (answer) => {
          clearTimeout(timer);
          this.#answer = answer;
          resolve(answer);
        });
        request.end(body);
      } catch (error) {
        fail(error); // e.g. a key that no header can carry
      }
    });
  }

  /** The body, whole; `cut`: only its beginning, and a body that breaks off is as good. */
  async #read(answer: IncomingMessage, bound: { bytes: number; cut: boolean }): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const reader = this.#stream(answer, bound.cut ? Number.POSITIVE_INFINITY : bound.bytes).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(Buffer.from(value));
        bytes += value.byteLength;
        if (bound.cut && bytes >= bound.bytes) {
          await reader.cancel();
          break;
        }
      }
    } catch (error) {
      if (!bound.cut || this.#signal.aborted) throw error;
      this.#fault = null; // the status alone says enough
    }
    return Buffer.concat(pieces).subarray(0, bound.bytes);
  }

  /** The body as it comes. */
  #stream(answer: IncomingMessage, bound = this.#bounds.answerBytes): ReadableStream<Uint8Array> {
    let timer: NodeJS.Timeout;
    let bytes = 0;
    let over = false;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const end = (error?: Error): void => {
            clearTimeout(timer);
            if (over) return;
            over = true;
            if (error === undefined) controller.close();
            else controller.error(error);
          };
          const give = (fault: LineFault): void => {
            end(this.#fail(fault));
            answer.destroy();
          };
          const { idleMs } = this.#bounds;
          timer = setTimeout(() => give({ kind: 'silent', during: 'body', ms: idleMs }), idleMs);
          answer.on('data', (piece: Buffer) => {
            timer.refresh();
            if (over) return;
            bytes += piece.byteLength;
            if (bytes > bound) return give({ kind: 'too-large', bytes: bound });
            controller.enqueue(piece);
            if ((controller.desiredSize ?? 1) <= 0) answer.pause();
          });
          answer.on('end', () => end());
          answer.on('error', (error) => end(this.#broken(error)));
        },
        pull: () => {
          // The time that a reader takes is not the provider's.
          timer.refresh();
          answer.resume();
        },
        cancel: () => {
          over = true;
          clearTimeout(timer);
          answer.destroy();
        },
      },
      { highWaterMark: 64 },
    );
  }

  #broken(error: unknown): Error {
    if (this.#signal.aborted) return abortError();
    return this.#fail({ kind: 'broken', code: systemCode(error) ?? null, text: errorText(error) });
  }

  #fail(fault: LineFault): LineError {
    this.#fault ??= fault;
    return new LineError(this.#fault);
  }
}

/** What packages know as the end of a question that was called off. */
function abortError(): Error {
  return new DOMException('called off', 'AbortError');
}

function sentHeaders(given: RequestInit['headers']): Record<string, string> {
  const sent: Record<string, string> = {};
  const entries = given instanceof Headers ? given.entries() : Object.entries(given ?? {});
  for (const [name, value] of entries) {
    if (typeof value === 'string') sent[name.toLowerCase()] = value;
  }
  // Bodies are read as they come, and bounded as they come.
  return { ...sent, 'accept-encoding': 'identity' };
}

function headersOf(answer: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

function titleOf(page: string): string {
  return (/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? '').trim();
}
