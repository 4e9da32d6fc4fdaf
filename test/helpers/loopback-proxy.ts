/**
 * A line to a Redis that breaks when a test says so: a TCP server on loopback that hands everything on to a Unix socket,
 * which may become another one (a fail-over), and does to the next script what the test orders.
 */

import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from './until.js';

/**
 * `lose-reply`: the script is executed, and the line breaks before its answer. `lose-command`: the line breaks, the server
 * never hears of it. `hold-command`: as that for the client, and the server hears of it when the test lets it.
 */
export type Fate = 'lose-reply' | 'lose-command' | 'hold-command';

/** How the client library writes the name of what runs a script. */
const SCRIPT = Buffer.from('evalsha');

export class LoopbackProxy {
  /** Where new connections lead to. */
  target: string;
  /** A line that is `down` takes no connection. */
  line: 'up' | 'down' = 'up';
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  #fate: { readonly kind: Fate; readonly met: () => void } | undefined;
  readonly #held: Buffer[] = [];

  private constructor(target: string) {
    this.target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  /** A line to a Unix socket, taken down when the test has ended. */
  static async start(target: string): Promise<LoopbackProxy> {
    const proxy = new LoopbackProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      proxy.line = 'down';
      proxy.cut();
      await new Promise<void>((resolve) => proxy.#server.close(() => resolve()));
    });
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Orders what becomes of the next script; resolves when that has happened. */
  next(kind: Fate): Promise<void> {
    return new Promise((met) => {
      this.#fate = { kind, met };
    });
  }

  /** Whether something is held. */
  get holds(): boolean {
    return this.#held.length > 0;
  }

  /** Lets the server hear of what is held, the oldest; resolves when it has answered. */
  async release(): Promise<string> {
    const held = this.#held.shift();
    if (held === undefined) throw new Error('nothing is held');
    let answer = '';
    const upstream = connect(this.target);
    upstream.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    upstream.write(held);
    await until(() => answer !== '', { what: 'the server has answered what was held' });
    upstream.destroy();
    return answer;
  }

  /** Breaks every connection there is. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.#pairs.clear();
  }

  #accept(client: Socket): void {
    client.on('error', () => {}); // A broken line is what this is for; the client under test has its own error.
    if (this.line === 'down') {
      client.destroy();
      return;
    }
    const upstream = connect(this.target);
    upstream.on('error', () => client.destroy());
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      this.#pairs.delete(pair);
    };
    client.on('close', end);
    upstream.on('close', end);
    let mute = false;
    upstream.on('data', (chunk: Buffer) => {
      if (!mute) client.write(chunk);
    });
    client.on('data', (chunk: Buffer) => {
      const fate = chunk.includes(SCRIPT) ? this.#fate : undefined;
      if (fate === undefined) {
        upstream.write(chunk);
        return;
      }
      this.#fate = undefined;
      const happened = (): void => {
        end();
        fate.met();
      };
      if (fate.kind === 'lose-reply') {
        mute = true;
        upstream.once('data', happened);
        upstream.write(chunk);
        return;
      }
      if (fate.kind === 'hold-command') this.#held.push(chunk);
      happened();
    });
  }
}
