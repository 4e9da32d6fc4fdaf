/**
 * A team's record on Redis, read without writing: of a stopped team, or beside the processes that run it. Same promises as
 * `readFileRecord`: strict reading refuses what is broken, tolerant reading leaves it out with a warning.
 */

import type { Finding } from '../../shared/findings.js';
import type { RedisNames } from '../../shared/redis-names.js';
import { type BrokenPlace, brokenError, brokenFinding } from '../broken-record.js';
import type { GrowingRecord } from '../growing-record.js';
import type { RecordView } from '../record-view.js';
import type { RedisConnection } from './connection.js';
import { LOG_START, openStream } from './log-stream.js';
import { readRedisBlob } from './redis-blobs.js';
import { RedisLines } from './redis-lines.js';
import { RedisReach } from './redis-reach.js';
import { noRedisTeam } from './redis-record.js';
import { RedisTail } from './redis-tail.js';
import { memberOfSize, openTranscriptStream } from './redis-transcripts.js';
import { readStream } from './stream-pages.js';

export interface RedisViewOptions {
  /** A connection for `record`. */
  readonly connection: RedisConnection;
  readonly names: RedisNames;
  readonly team: string;
  readonly reading: 'strict' | 'tolerant';
  /** How long the server may be away; 10 s unless given: a person waits. */
  readonly unreachableMs?: number;
  /** Ends every wait for the server. */
  readonly signal?: AbortSignal;
}

const UNREACHABLE_MS = 10_000;

/** The streams of a team's record as they grow. */
export function redisTails({
  connection,
  names,
  team,
  unreachableMs = UNREACHABLE_MS,
  signal = new AbortController().signal,
}: Omit<RedisViewOptions, 'reading'>): { log(): RedisTail; transcript(member: string): RedisTail } {
  const reach = new RedisReach({ connection, unreachableMs, signal });
  return {
    log: () => new RedisTail(reach, names.log(team)),
    transcript: (member) => new RedisTail(reach, names.transcript(team, member)),
  };
}

/**
 * Asks a server that may be away for a moment, as those do who read a record of it: a question that got no answer is put again
 * for as long as the record waits. Rejects with `record-unreachable`, or with what failed for good.
 * @param ask may be called several times
 */
export function askPatiently<Answer>(
  {
    connection,
    unreachableMs = UNREACHABLE_MS,
    signal = new AbortController().signal,
  }: Pick<RedisViewOptions, 'connection' | 'unreachableMs' | 'signal'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  return new RedisReach({ connection, unreachableMs, signal }).look(ask);
}

/** The lines of a team's record as it grows. */
export function redisLines(options: Omit<RedisViewOptions, 'reading'>): GrowingRecord {
  const tails = redisTails(options);
  return {
    log: () => new RedisLines(tails.log()),
    transcript: (member) => new RedisLines(tails.transcript(member)),
  };
}

/** Looks into a team's keys; nothing is read before a method is called. */
export function readRedisRecord(options: RedisViewOptions): RecordView {
  const { connection, names, team, reading } = options;
  const { unreachableMs = UNREACHABLE_MS, signal = new AbortController().signal } = options;
  const reach = new RedisReach({ connection, unreachableMs, signal });
  const judge = (places: readonly BrokenPlace[]): readonly Finding[] => {
    const [first] = places;
    if (first !== undefined && reading === 'strict') throw brokenError(first);
    return places.map(brokenFinding);
  };
  return {
    async log() {
      const path = names.log(team);
      const raw = await reach.look((client) => readStream(client, path, '-'));
      if (raw.length === 0) throw noRedisTeam(names, team, connection.shown);
      const { entries, broken } = openStream(team, raw, LOG_START.digest);
      return { entries, findings: judge(broken.map((line) => ({ ...line, path }))) };
    },
    async transcript(member) {
      const path = names.transcript(team, member);
      const { entries, broken } = openTranscriptStream(
        await reach.look((client) => readStream(client, path, '-')),
      );
      return {
        entries,
        findings: judge(broken.map((line) => ({ ...line, code: 'transcript-broken', path }))),
      };
    },
    blob: (digest) => reach.look((client) => readRedisBlob(client, names.blobs(team), digest)),
    async members() {
      const sizes = await reach.look((client) => client.hkeys(names.sizes(team)));
      return sizes.flatMap((name) => memberOfSize(name) ?? []).sort();
    },
    blobs: async () => (await reach.look((client) => client.hkeys(names.blobs(team)))).sort(),
  };
}
