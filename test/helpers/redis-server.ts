/**
 * A Redis of a test's own: a real server on a Unix socket in a temporary folder, without a port, so that no test can
 * dial another's, or one that was there before. For tests that break their server, and for all where none was named.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisConnection } from '../../src/events/redis/connection.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import type { ServerProgram } from './has-server.js';

/** Long enough for a server on a loaded machine. */
const START_MS = 20_000;

export interface ServerOptions {
  readonly program?: ServerProgram;
  /** Lines of its configuration as arguments: `['--appendonly', 'yes']`. By default it keeps nothing on disk. */
  readonly config?: readonly string[];
}

export class RedisServer {
  readonly folder: string;
  readonly #program: ServerProgram;
  readonly #config: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, { program = 'redis-server', config = [] }: ServerOptions) {
    this.folder = folder;
    this.#program = program;
    this.#config = config;
  }

  /** A server that answers. Its owner ends it with `remove`. */
  static async start(options: ServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp(join(tmpdir(), 'bnerd-redis-')), options);
    await server.start();
    return server;
  }

  get socket(): string {
    return join(this.folder, 'redis.sock');
  }

  /** Its address, as the program takes one. */
  get url(): string {
    return `unix://${this.socket}`;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return pid;
  }

  /** Starts it, again after it was ended; resolves when it answers and has loaded what it keeps. */
  async start(): Promise<void> {
    const quiet = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
    const place = [
      '--port',
      '0',
      '--unixsocket',
      this.socket,
      '--unixsocketperm',
      '700',
      '--dir',
      this.folder,
    ];
    const child = spawn(this.#program, [...quiet, ...place, ...this.#config], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    }
    this.#process = child;
    const connection = new RedisConnection(redisAddress(this.url), 'record');
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${this.#program} ended with ${code} before it answered: ${said}`);
    });
    try {
      await Promise.race([connection.ready(AbortSignal.timeout(START_MS)), ended]);
    } finally {
      ended.catch(() => undefined); // It ends one day, when nobody waits for this any more.
      await connection.close(1_000);
    }
  }

  /** Ends it as `kill -9` does. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Ends it in good order: what it keeps on disk is there. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Stops it where it stands, as a machine that has gone to sleep. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Ends it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}
