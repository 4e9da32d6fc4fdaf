/**
 * Puts a record back on a server that has lost it, from its mirror (spec/engine.md §1 "Loss"): under temporary names, then
 * in place by RENAMENX, the log last. So a record is there whole or not at all, and one that is there is never written over.
 *
 * The caller has the lease of the run, and has seen that the log is missing. What the server still holds beside it goes
 * first: it may know of turns that the log does not, whose numbers will be given out again.
 */

import type { Redis } from 'ioredis';
import type { RedisNames } from '../../shared/redis-names.js';
import { scanKeys } from '../../shared/scan-keys.js';
import { type LogEntry, nextNumber } from '../log-entry.js';
import type { RecordView } from '../record-view.js';
import { type TranscriptEntry, turnOf } from '../transcript-entry.js';
import { ALL_SIZES } from './guarded-script.js';
import { LOG_START, seal } from './log-stream.js';
import { BLOBS_SIZE } from './redis-blobs.js';
import { sizeName } from './redis-transcripts.js';

export interface Reseeded {
  /** Entries of the log that are there again; 0 when somebody else's log was there after all. */
  readonly entries: number;
  /** Entries of turns that the log does not know: nobody went by them, and they are not put back. */
  readonly aside: readonly { readonly member: string; readonly entry: TranscriptEntry }[];
}

/** Entries of the log in one entry of the stream. */
const AT_ONCE = 100;

/** Says who wrote the entries that were put back. */
const WRITER = 'mirror';

/** @param mirror in strict reading: what does not follow from what stands before it is not put back */
export async function reseed(
  client: Redis,
  names: RedisNames,
  team: string,
  mirror: RecordView,
): Promise<Reseeded> {
  const { entries } = await mirror.log();
  const turns = turnsIn(entries);
  const aside: { member: string; entry: TranscriptEntry }[] = [];
  const stale = [
    ...(await scanKeys(client, names.everySeed(team))),
    ...(await memoriesOf(client, names, team)),
  ];
  for (const key of stale) await client.unlink(key);
  const places: string[] = [];
  const sizes = new Map<string, number>();
  for (const member of await mirror.members()) {
    const key = names.transcript(team, member);
    for (const entry of (await mirror.transcript(member)).entries) {
      if (!turns.has(turnOf(entry.id))) {
        aside.push({ member, entry });
        continue;
      }
      const text = JSON.stringify([entry]);
      await client.xadd(names.seed(key), entry.id, 'e', text);
      add(sizes, sizeName(member), Buffer.byteLength(text));
    }
    if (sizes.has(sizeName(member))) places.push(key);
  }
  for (const digest of await mirror.blobs()) {
    const text = await mirror.blob(digest);
    if (text === undefined) continue;
    await client.hset(names.seed(names.blobs(team)), digest, text);
    add(sizes, BLOBS_SIZE, Buffer.byteLength(text));
  }
  if (sizes.has(BLOBS_SIZE)) places.push(names.blobs(team));
  if (sizes.size > 0) {
    const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    await client.hset(names.seed(names.sizes(team)), { ...Object.fromEntries(sizes), [ALL_SIZES]: all });
    places.push(names.sizes(team));
  }
  await seedLog(client, names.seed(names.log(team)), team, entries);
  for (const key of places) await client.renamenx(names.seed(key), key);
  const placed = entries.length > 0 && (await client.renamenx(names.seed(names.log(team)), names.log(team)));
  for (const key of await scanKeys(client, names.everySeed(team))) await client.unlink(key);
  return { entries: placed === 1 ? entries.length : 0, aside };
}

async function seedLog(
  client: Redis,
  key: string,
  team: string,
  entries: readonly LogEntry[],
): Promise<void> {
  let head = LOG_START;
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE);
    const last = some.at(-1);
    if (last === undefined) return;
    const sealed = seal(team, WRITER, head, {
      lines: some.map((entry) => JSON.stringify(entry)),
      next: nextNumber(last),
    });
    await client.xadd(key, sealed.head.id, ...sealed.fields);
    head = sealed.head;
  }
}

/** What the server still holds of a team beside its log. */
async function memoriesOf(client: Redis, names: RedisNames, team: string): Promise<readonly string[]> {
  const memories = await scanKeys(client, names.everyTranscript(team));
  return [...memories, names.blobs(team), names.sizes(team)];
}

/** The numbers of the turns that a log knows. */
function turnsIn(entries: readonly LogEntry[]): ReadonlySet<number> {
  const turns = new Set<number>();
  for (const { first, facts } of entries) {
    for (const [place, { type }] of facts.entries()) if (type === 'turn.started') turns.add(first + place);
  }
  return turns;
}

function add(sizes: Map<string, number>, name: string, bytes: number): void {
  sizes.set(name, (sizes.get(name) ?? 0) + bytes);
}
