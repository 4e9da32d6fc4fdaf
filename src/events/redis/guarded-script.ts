/**
 * What belongs to a team and is not its log, transcripts and texts, is written only while the log is there: a late writer
 * of a team that was archived and deleted must not make its keys anew. In the same step its bytes are counted.
 *
 * One command, whole or not at all: the server refuses the script before its first write, or runs all of it.
 */

import type { Redis } from 'ioredis';
import { BugError } from '../../shared/errors.js';
import { redisScript, runScript } from './script.js';

export interface GuardedWrite {
  readonly command: 'XADD' | 'HSETNX';
  /** The key that is written. */
  readonly key: string;
  readonly args: readonly (string | Buffer)[];
  /** Under which name the bytes are counted, and how many they are. */
  readonly counted: { readonly name: string; readonly bytes: number };
}

export interface Guard {
  readonly log: string;
  readonly sizes: string;
  /** `waived`: before the first entry of a team there is no log, and what it names comes before it. */
  readonly logMustExist: 'yes' | 'waived';
}

export type GuardedAnswer =
  /** `total`: all bytes that were counted for the team, other writers' included. */
  { readonly kind: 'ok'; readonly total: number } | { readonly kind: 'gone' };

/** Where the sum stands in the hash of sizes. */
export const ALL_SIZES = 'all';

const GUARDED = redisScript(`
if ARGV[1] == 'yes' and redis.call('EXISTS', KEYS[1]) == 0 then return {'gone', 0} end
local added = redis.call(ARGV[4], KEYS[3], unpack(ARGV, 5))
local bytes = added == 0 and 0 or ARGV[3]
redis.call('HINCRBY', KEYS[2], ARGV[2], bytes)
return {'ok', redis.call('HINCRBY', KEYS[2], '${ALL_SIZES}', bytes)}
`);

/** Rejects as the command does, also with what the command itself refuses; then nothing was written. */
export async function guardedWrite(client: Redis, guard: Guard, write: GuardedWrite): Promise<GuardedAnswer> {
  const { name, bytes } = write.counted;
  const args = [guard.logMustExist, name, String(bytes), write.command, ...write.args];
  const answer = await runScript(client, GUARDED, [guard.log, guard.sizes, write.key], args);
  const [kind, total] = Array.isArray(answer) ? answer : [];
  if (kind === 'gone') return { kind };
  if (kind === 'ok' && typeof total === 'number') return { kind, total };
  throw new BugError('guarded-answer', `the script that guards a write answered ${JSON.stringify(answer)}`);
}
