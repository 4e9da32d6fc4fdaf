/**
 * What belongs to a team and is not its log, transcripts and texts, is written only while the log holds what the writer has
 * seen of it: a late writer of a team that was archived and deleted must not make its keys anew, and one whose server has
 * lost the end of the log must not go on behind what is left. In the same step its bytes are counted.
 *
 * One command, whole or not at all: the server refuses the script before its first write, or runs all of it.
 */

import type { Redis } from 'ioredis';
import { BugError } from '../../shared/errors.js';
import { DIGEST_LETTERS, type LogHead } from './log-stream.js';
import { redisScript, runScript } from './script.js';

export interface GuardedWrite {
  readonly command: 'XADD' | 'HSETNX' | 'HSET';
  /** The key that is written. */
  readonly key: string;
  readonly args: readonly (string | Buffer)[];
  /** How many entries the stream has before, as far as the writer knows; null where the key is no stream. */
  readonly behind: number | null;
  /** Under which name the bytes are counted, and how many they are. */
  readonly counted: { readonly name: string; readonly bytes: number };
}

export interface Guard {
  readonly log: string;
  readonly sizes: string;
  /** The end of the log as the writer has seen it; before the first entry of a team all may be written. */
  readonly seen: Pick<LogHead, 'id' | 'digest'>;
}

export type GuardedAnswer =
  /** `total`: all bytes that were counted for the team, other writers' included. */
  | { readonly kind: 'ok'; readonly total: number }
  /** The log does not hold what the writer has seen. */
  | { readonly kind: 'lost' }
  /** The stream has more entries than the writer knows of, or fewer. */
  | { readonly kind: 'other' };

/** Where the sum stands in the hash of sizes. */
export const ALL_SIZES = 'all';

const GUARDED = redisScript(`
if ARGV[1] ~= '' then
  local seen = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
  if not seen or string.sub(seen[2][2], 1, ${DIGEST_LETTERS}) ~= ARGV[2] then return {'lost', 0} end
end
if ARGV[3] ~= '' and redis.call('XLEN', KEYS[3]) ~= tonumber(ARGV[3]) then return {'other', 0} end
local added = redis.call(ARGV[6], KEYS[3], unpack(ARGV, 7))
local bytes = added == 0 and 0 or ARGV[5]
redis.call('HINCRBY', KEYS[2], ARGV[4], bytes)
return {'ok', redis.call('HINCRBY', KEYS[2], '${ALL_SIZES}', bytes)}
`);

/** Rejects as the command does, also with what the command itself refuses; then nothing was written. */
export async function guardedWrite(client: Redis, guard: Guard, write: GuardedWrite): Promise<GuardedAnswer> {
  const { name, bytes } = write.counted;
  const behind = write.behind === null ? '' : String(write.behind);
  const { id, digest } = guard.seen;
  const args = [id, digest, behind, name, String(bytes), write.command, ...write.args];
  const answer = await runScript(client, GUARDED, [guard.log, guard.sizes, write.key], args);
  const [kind, total] = Array.isArray(answer) ? answer : [];
  if (kind === 'lost' || kind === 'other') return { kind };
  if (kind === 'ok' && typeof total === 'number') return { kind, total };
  throw new BugError('guarded-answer', `the script that guards a write answered ${JSON.stringify(answer)}`);
}
