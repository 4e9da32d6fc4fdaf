/**
 * The engines, one row each: the only place of the end-to-end tests that names one (spec/engine.md §1). A test file is
 * listed once and run on each engine of its row, as a project of `vitest.config.ts`; what it does not know, it cannot
 * depend on. Where a team is kept, and how a test reads what is recorded of it, is asked here.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { inject } from 'vitest';
import { type RecordView, readFileRecord } from '../../src/events/record-view.js';
import { RedisConnection } from '../../src/events/redis/connection.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import { readRedisRecord } from '../../src/events/redis/redis-view.js';
import { type RedisNames, redisNames } from '../../src/shared/redis-names.js';
import type { Home } from './bnerd.js';
import { redisAt, scan } from './redis.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the project that runs; every other project keeps files. */
    engine?: 'files' | 'redis';
    /** Where the Redis of the project is. */
    redis?: string;
  }
}

/** What a team may have beside its record, that some tests are about. */
export type Trait =
  /** A folder that holds the record, as files that a person reads, copies, breaks and archives. */
  | 'folder'
  /**
   * One process that has the whole team, and answers for it: a lock that names it, a socket on which it is asked. It knows
   * what a member does within its turn, too, which else only the process knows that runs the turn.
   */
  | 'owner'
  /** It starts runners for its briefs by itself; else they are processes of their own, on machines of their own. */
  | 'runners'
  /** It needs no connection to anybody. */
  | 'offline';

export interface TestEngine {
  readonly traits: ReadonlySet<Trait>;
  /** What a home on this engine adds to the environment of the program; called in a test, which it ends with. */
  environment(): Readonly<Record<string, string>>;
  /** Ids of the teams of a home that are not put away, oldest first. */
  ids(home: Home): Promise<string[]>;
  /** Everything that is kept of the teams of a home outside of it, as it is written: for who looks for secrets. */
  kept(home: Home): Promise<string>;
  /** What is recorded of a team, read when it is asked for. */
  record(home: Home, id: string): RecordView;
}

const ENGINES: Readonly<Record<'files' | 'redis', TestEngine>> = {
  files: {
    traits: new Set<Trait>(['folder', 'owner', 'runners', 'offline']),
    environment: () => ({}),
    ids: async ({ state }) => (await readdir(join(state, 'runs')).catch((): string[] => [])).sort(),
    kept: async () => '',
    record: ({ state }, id) => readFileRecord(join(state, 'runs', id), 'strict'),
  },
  redis: {
    traits: new Set<Trait>(),
    environment() {
      const { url, prefix } = redisAt(inject('redis') ?? '');
      // Long enough that a loaded machine loses none, short enough to wait for the end of one.
      return { BNERD_REDIS_URL: url, BNERD_REDIS_PREFIX: prefix, BNERD_LEASE: '5s' };
    },
    ids: (home) =>
      connected(home, async ({ client }, { teams }) => (await client.zrange(teams, 0, '-1')).sort()),
    kept: (home) =>
      connected(home, async ({ client }, { everyKey }) => {
        const keys = await scan(client, everyKey);
        const texts = await Promise.all(
          keys.map(async (key) => JSON.stringify(await contentOf(client, key))),
        );
        return [...keys, ...texts].join('\n');
      }),
    record(home, team) {
      const look = <Value>(at: (view: RecordView) => Promise<Value>): Promise<Value> =>
        connected(home, (connection, names) =>
          at(readRedisRecord({ connection, names, team, reading: 'strict' })),
        );
      return {
        log: () => look((view) => view.log()),
        transcript: (member) => look((view) => view.transcript(member)),
        blob: (digest) => look((view) => view.blob(digest)),
        members: () => look((view) => view.members()),
        blobs: () => look((view) => view.blobs()),
      };
    },
  },
};

/** The engine of the project that runs. */
export function engine(): TestEngine {
  return ENGINES[inject('engine') ?? 'files'];
}

/** Declares tests that are about what only some engines give to a team. */
export function whereTeamsHave(trait: Trait, declare: () => void): void {
  if (engine().traits.has(trait)) declare();
}

/** What a key holds, whatever it is. */
async function contentOf(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'string':
      return client.get(key);
    case 'list':
      return client.lrange(key, 0, '-1');
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, 0, '-1');
    case 'hash':
      return client.hgetall(key);
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return null; // It has gone since it was seen.
  }
}

async function connected<Value>(
  { env }: Home,
  use: (connection: RedisConnection, names: RedisNames) => Promise<Value>,
): Promise<Value> {
  const connection = new RedisConnection(redisAddress(env['BNERD_REDIS_URL'] ?? ''), 'record');
  try {
    await connection.ready(AbortSignal.timeout(10_000));
    return await use(connection, redisNames(env['BNERD_REDIS_PREFIX'] ?? ''));
  } finally {
    await connection.close(1_000);
  }
}
