/**
 * The Redis of the rows that need one: the one that `BNERD_TEST_REDIS_URL` names, else a server of the row's own on a Unix
 * socket, which keeps nothing on disk. Both sides of a row use the same one, each on a connection of its own.
 */

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = new URL('../../dist/', import.meta.url);
const GIVEN = process.env.BNERD_TEST_REDIS_URL;

/** Loads a file of the built program. */
export const load = (path) => import(new URL(path, built).href);

/** What must be made first, or undefined. */
export function missingForRedis() {
  const record = new URL('events/redis/redis-record.js', built);
  if (!existsSync(record)) return `${fileURLToPath(record)} is not there: build it with "npm run build"`;
  if (GIVEN !== undefined) return undefined;
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'redis-server is not there: install it, or name a server in BNERD_TEST_REDIS_URL';
  }
}

/** One server for all rounds of a row. */
export class RowRedis {
  #server;
  #asking;

  /** A record of a team that begins, ours, and the way to end it. */
  async record(team) {
    const { openRedisRecord } = await load('events/redis/redis-record.js');
    const { ServerClock } = await load('events/redis/server-clock.js');
    const { systemClock } = await load('shared/clock.js');
    const { connection, names, release } = await this.connect();
    const clock = await ServerClock.ask(connection.client, systemClock);
    const record = await openRedisRecord({ connection, names, team, mode: 'create', clock });
    const end = async () => {
      await record.close();
      await release([names.log(team)]);
    };
    return { record, end };
  }

  /** A connection for records, ready; names under a prefix of its own; and the way to end both. */
  async connect() {
    const { RedisConnection } = await load('events/redis/connection.js');
    const { redisAddress } = await load('events/redis/redis-address.js');
    const { redisNames } = await load('shared/redis-names.js');
    const url = GIVEN ?? (await this.#start());
    const address = redisAddress(url);
    const connection = new RedisConnection(address, 'record');
    await connection.ready(AbortSignal.timeout(20_000));
    const names = redisNames(`b-${randomBytes(6).toString('hex')}`);
    const release = async (keys) => {
      if (keys.length > 0) await connection.client.del(...keys);
      await connection.close(1_000);
    };
    return { connection, names, address, url, release };
  }

  /** CPU time of the server since it started, in milliseconds; others may use one that was named as well. */
  async cpuMs() {
    this.#asking ??= this.connect();
    const { connection } = await this.#asking;
    const info = await connection.client.info('cpu');
    const seconds = (name) => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)[1]);
    return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1000;
  }

  async #start() {
    if (this.#server !== undefined) return this.#server.url;
    const folder = await mkdtemp(join(tmpdir(), 'bench-redis-'));
    const socket = join(folder, 'redis.sock');
    const quiet = ['--port', '0', '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
    const child = spawn('redis-server', [...quiet, '--unixsocket', socket, '--dir', folder], {
      stdio: 'ignore',
    });
    process.once('exit', () => child.kill());
    this.#server = { child, folder, url: `unix://${socket}` };
    return this.#server.url;
  }

  async stop() {
    await (await this.#asking)?.connection.close(1_000);
    this.#asking = undefined;
    if (this.#server === undefined) return;
    const { child, folder } = this.#server;
    this.#server = undefined;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    await rm(folder, { recursive: true, force: true });
  }
}

/** An entry as a turn makes them after each reply. */
export function entryAt(version, first) {
  return {
    v: version,
    first,
    at: first,
    wall: '2026-01-01T00:00:00.000Z',
    commands: [{ id: `bench/${first}`, facts: 1 }],
    facts: [
      {
        type: 'budget.spent',
        turn: first,
        member: 'member-7',
        model: 'script/bench',
        input_tokens: 1200,
        cached_tokens: 800,
        output_tokens: 150,
        cost_usd: null,
        estimated: false,
      },
    ],
  };
}
