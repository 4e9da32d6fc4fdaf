/**
 * The one way an entry comes into a log on Redis: compared with the newest one, then added, in one step of the server.
 *
 * Why a script and not the ids of streams, which also refuse what is not greater (measured: design, library facts): they
 * take a number that is too high, so two writers fork silently once a server has lost its end (a replica at 100, a writer
 * at 105: `0-106` is taken and the rival's `0-102` refused for ever); of a pipeline the second is taken when the first was
 * refused; a late one makes a deleted stream anew; and a transaction does not stop the commands beside a refused one. The
 * script costs about as much as the bare command.
 *
 * It compares and adds: it knows no rule of teams, and nothing else writes the stream. Number and digest of the newest
 * entry are both compared, since after a loss a number may come again with something else behind it.
 */

import type { Redis } from 'ioredis';
import { BugError } from '../../shared/errors.js';
import { redisScript, runScript } from './script.js';

/** The entry after which something is to stand; both empty before the first. */
export interface Expected {
  readonly id: string;
  readonly digest: string;
}

export type AppendAnswer =
  | { readonly kind: 'ok'; readonly serverMs: number }
  /** Another entry is the newest: its id, its digest and its number of facts; empty and 0 when there is none. */
  | {
      readonly kind: 'no';
      readonly serverMs: number;
      readonly id: string;
      readonly digest: string;
      readonly count: number;
    }
  /** Something was expected and the whole stream is not there. */
  | { readonly kind: 'gone'; readonly serverMs: number };

/** Whoever writes puts the fields `d`, the digest, and `n`, the number of facts, first, so that nothing is searched for. */
const APPEND = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not newest then
  if ARGV[1] ~= '' then return {'gone', now} end
  redis.call('XADD', KEYS[1], unpack(ARGV, 3))
  return {'ok', now}
end
local fields = newest[2]
if newest[1] ~= ARGV[1] or fields[1] ~= 'd' or fields[2] ~= ARGV[2] then
  return {'no', now, newest[1], fields[2], fields[4] or '0'}
end
redis.call('XADD', KEYS[1], 'NOMKSTREAM', unpack(ARGV, 3))
return {'ok', now}
`);

/**
 * Adds an entry behind the expected one. Rejects as the command does; when the connection broke, nobody knows whether it
 * was added.
 * @param fields name and value in turn, `d` and `n` among them
 */
export async function appendToStream(
  client: Redis,
  key: string,
  expected: Expected,
  id: string,
  fields: readonly string[],
): Promise<AppendAnswer> {
  const answer = await runScript(client, APPEND, [key], [expected.id, expected.digest, id, ...fields]);
  const [kind, serverMs, newest, digest, count] = Array.isArray(answer) ? answer : [];
  if (typeof serverMs === 'number') {
    if (kind === 'ok' || kind === 'gone') return { kind, serverMs };
    if (kind === 'no') {
      return { kind, serverMs, id: String(newest), digest: String(digest), count: Number(count) };
    }
  }
  throw new BugError('append-answer', `the script that appends answered ${JSON.stringify(answer)}`);
}
