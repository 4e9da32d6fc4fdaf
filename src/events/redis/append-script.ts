/**
 * The one way an entry comes into a log on Redis: compared with the newest one, then added, in one step of the server.
 *
 * Why a script and not the ids of streams, which also refuse what is not greater (measured: design, library facts): they
 * take a number that is too high, so two writers fork silently once a server has lost its end (a replica at 100, a writer
 * at 105: `0-106` is taken and the rival's `0-102` refused for ever); of a pipeline the second is taken when the first was
 * refused; a late one makes a deleted stream anew; and a transaction does not stop the commands beside a refused one.
 *
 * It compares and adds: it knows no rule of teams, and nothing else writes the stream. What was handed in before the entry
 * (transcripts) is on its way on the same line: the server takes one after the other, and the entry is refused where what
 * comes before it does not stand. So both are one round trip (R3). Number and digest of the newest
 * entry are both compared, since after a loss a number may come again with something else behind it.
 *
 * What it costs the server (measured, entries of 400 bytes): 6 µs, where the bare command costs 1 and a script that does
 * nothing but the command 3; the rest is the look at the newest entry. A key of its own for number and digest would make
 * that 4.5, and a second thing that can be lost.
 */

import type { Redis } from 'ioredis';
import { BugError } from '../../shared/errors.js';
import { DIGEST_LETTERS, readHead, type Sealed } from './log-stream.js';
import type { Standing } from './redis-reach.js';
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
  | { readonly kind: 'gone'; readonly serverMs: number }
  /** What should stand before it does not; nothing was compared. */
  | { readonly kind: 'early' };

/** The answer is the time alone when the entry was added. */
const APPEND = redisScript(`
local call, key, expected = redis.call, KEYS[1], ARGV[1]
for other = 2, #KEYS do
  if call('XLEN', KEYS[other]) ~= tonumber(ARGV[4 + other]) then return 'early' end
end
local newest = call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if newest then
  local head = newest[2][2]
  if newest[1] ~= expected or string.sub(head, 1, ${DIGEST_LETTERS}) ~= ARGV[2] then return {now, newest[1], head} end
elseif expected ~= '' then
  return {now}
end
call('XADD', key, ARGV[3], 'h', ARGV[4], 'e', ARGV[5])
return now
`);

/**
 * Adds an entry behind the expected one. Rejects as the command does; when the connection broke, nobody knows whether it
 * was added.
 * @param before streams that have so many entries by then: what was sent on the same line may not have its answer yet
 */
export async function appendToStream(
  client: Redis,
  key: string,
  expected: Expected,
  { head: { id }, fields: [, head, , entries] }: Sealed,
  before: readonly Standing[],
): Promise<AppendAnswer> {
  const keys = [key, ...before.map((one) => one.key)];
  const lengths = before.map(({ length }) => String(length));
  const words = [expected.id, expected.digest, id, head, entries, ...lengths];
  const answer = await runScript(client, APPEND, keys, words);
  if (typeof answer === 'number') return { kind: 'ok', serverMs: answer };
  if (answer === 'early') return { kind: 'early' };
  const [serverMs, newest, found] = Array.isArray(answer) ? answer : [];
  if (typeof serverMs !== 'number') {
    throw new BugError('append-answer', `the script that appends answered ${JSON.stringify(answer)}`);
  }
  if (newest === undefined) return { kind: 'gone', serverMs };
  const { digest = '', count = '0' } = readHead(String(found)) ?? {};
  return { kind: 'no', serverMs, id: String(newest), digest, count: Number(count) };
}
