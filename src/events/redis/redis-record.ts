/**
 * A team's record on Redis, opened for writing (spec/engine.md §1 "Redis log").
 *
 * The map of this folder: `connection` and `redis-address` make the client; `redis-reach` is the way to the server, with
 * its waiting and its giving up, `redis-trouble` what an error means; `redis-log` over `append-script`, `log-stream` and
 * `stream-pages` is the log; `redis-transcripts` and `redis-blobs` write through `team-writes` and `guarded-script`;
 * `redis-snapshots` keeps folds beside it; `redis-view` reads without writing; `server-clock` tells the time.
 */

import { UserError } from '../../shared/errors.js';
import type { RedisNames } from '../../shared/redis-names.js';
import type { TeamRecord } from '../record.js';
import type { RedisConnection } from './connection.js';
import { LOG_START } from './log-stream.js';
import { OwnWrites } from './own-writes.js';
import { RedisBlobs } from './redis-blobs.js';
import { RedisLog } from './redis-log.js';
import { RedisReach } from './redis-reach.js';
import { RedisSnapshots, type RedisSnapshotsSetup } from './redis-snapshots.js';
import { RedisTranscripts } from './redis-transcripts.js';
import { replicatedLog } from './replicated-log.js';
import type { ServerClock } from './server-clock.js';
import { TeamWrites } from './team-writes.js';

export interface RedisRecordOptions {
  /** A connection for `record`; several records may share it, and closing one does not close it. */
  readonly connection: RedisConnection;
  readonly names: RedisNames;
  readonly team: string;
  /** `create` refuses a team that has entries, `open` one that has none. */
  readonly mode: 'create' | 'open';
  /** Is told the time of the server with every append. */
  readonly clock: Pick<ServerClock, 'heard'>;
  /**
   * Whose snapshots may be begun with, and from how many folded facts on one is kept; none are looked for, nor kept, unless
   * given. `code` is the version of whoever folds.
   */
  readonly snapshots?: Pick<RedisSnapshotsSetup, 'code' | 'afterFacts' | 'seal'>;
  /** How long the server may be away before writing gives up with `record-unreachable`; 60 s unless given. */
  readonly unreachableMs?: number;
  /** How long closing waits for what was handed in; 2 s unless given. */
  readonly closeMs?: number;
  /** `strict`: an entry that allows an effect waits for a replica; by default what the server has is enough. */
  readonly durability?: Durability | undefined;
  /** Ends every wait for the server. */
  readonly signal?: AbortSignal;
  /** Hears what this process has written, once it stands. */
  readonly own?: OwnWrites;
  /** Hears of each failed try of what is tried again; must not throw. */
  readonly onPassing?: (error: unknown) => void;
}

/** What has to have an entry before somebody acts on it: the server, or a replica of it as well. */
export type Durability = 'server' | 'strict';

const UNREACHABLE_MS = 60_000;
const CLOSE_MS = 2_000;

/**
 * Opens a team's record. Rejects with `UserError` (`team-exists`, `no-team`, `redis-denied`) or `FatalError` (`log-broken`,
 * `record-too-new`, `record-unreachable`).
 */
export async function openRedisRecord(options: RedisRecordOptions): Promise<TeamRecord> {
  const { connection, names, team, mode, clock, onPassing, snapshots, own = new OwnWrites() } = options;
  const {
    unreachableMs = UNREACHABLE_MS,
    closeMs = CLOSE_MS,
    signal = new AbortController().signal,
  } = options;
  const reach = new RedisReach({ connection, unreachableMs, signal, onPassing });
  const log = new RedisLog({ reach, key: names.log(team), team, clock, own });
  const sizes = names.sizes(team);
  if (snapshots !== undefined)
    log.snapshots = new RedisSnapshots({ reach, log, key: names.snapshot(team), sizes, team, ...snapshots });
  const entries = await log.open(mode === 'open' ? await log.snapshots?.find() : undefined);
  if (mode === 'open' && log.head === LOG_START) throw noRedisTeam(names, team, connection.shown);
  if (mode === 'create' && entries > 0) throw teamExists(team, connection.shown, entries);
  const writes = new TeamWrites({ reach, log, sizes });
  await writes.open();
  return {
    log: options.durability === 'strict' ? replicatedLog(log, reach, writes, sizes) : log,
    transcripts: new RedisTranscripts({ writes, keyOf: (member) => names.transcript(team, member), own }),
    blobs: new RedisBlobs(writes, names.blobs(team)),
    bytes: () => log.bytes + writes.bytes,
    findings: [],
    close: () => reach.close(closeMs, () => log.settled()),
  };
}

/** Nothing is recorded where somebody wants to look or to go on. */
export function noRedisTeam(names: RedisNames, team: string, where: string): UserError {
  const what = `there is no team ${team} under the prefix "${names.prefix}" on ${where}`;
  return new UserError('no-team', `${what}; "bnerd team ps" lists the teams there are`);
}

function teamExists(team: string, where: string, entries: number): UserError {
  const found = `a team ${team} with ${entries} log ${entries === 1 ? 'entry' : 'entries'} is on ${where} already`;
  return new UserError(
    'team-exists',
    `${found}; resume it, remove it with "bnerd team cleanup", or take another id`,
  );
}
