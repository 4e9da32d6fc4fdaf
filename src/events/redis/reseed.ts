/**
 * Puts a record back on a server that has lost it, from its mirror (spec/engine.md §1 "Loss"). The caller has the lease of
 * the run, and knows that the log was lost.
 *
 *  P1 it is put back under temporary names, then in place by RENAMENX, the log last: so it is there whole or not at all, and
 *     one that is there is never written over;
 *  P2 entries of turns that the log does not know are set aside: their numbers will be given out again;
 *  P3 what was put back is another log than the one that was lost, with digests of its own: whoever has opened that writes
 *     nothing behind it (`append-script`, `guarded-script`), opens the record anew, and never goes on over a hole.
 */

import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sha256 } from '../../shared/digest.js';
import type { RedisNames } from '../../shared/redis-names.js';
import { scanKeys } from '../../shared/scan-keys.js';
import type { LogEntry } from '../log-entry.js';
import { placeOf } from '../transcript-order.js';
import { ALL_SIZES } from './guarded-script.js';
import { LOG_START, type RawEntry, sealAgain } from './log-stream.js';
import type { Mirrored } from './mirror-lines.js';
import { BLOBS_SIZE } from './redis-blobs.js';
import { textOf } from './redis-tail.js';
import { sizeName } from './redis-transcripts.js';

/** An entry of a transcript's stream whose turn the log does not know. */
export interface SetAside {
  readonly member: string;
  readonly entry: RawEntry;
}

export interface Reseeded {
  /** Entries of the log's stream that are there again; 0 when somebody else's log was there after all. */
  readonly entries: number;
  readonly aside: readonly SetAside[];
}

/** Puts back what a mirror holds, in place of whatever the server still has beside the log that is missing. */
export async function reseed(
  client: Redis,
  names: RedisNames,
  team: string,
  mirror: Mirrored,
): Promise<Reseeded> {
  const stale = [
    ...(await scanKeys(client, names.everySeed(team))),
    ...(await scanKeys(client, names.everyTranscript(team))),
    names.blobs(team),
    names.sizes(team),
  ];
  for (const key of stale) await client.unlink(key);
  const { kept, aside } = sorted(mirror.memories, turnsIn(mirror.entries));
  const sizes = new Map<string, number>();
  const places = [names.sizes(team)];
  for (const [member, entries] of kept) {
    const key = names.transcript(team, member);
    for (const [id, fields] of entries) await client.xadd(names.seed(key), id, ...fields);
    sizes.set(sizeName(member), bytesOf(entries));
    places.push(key);
  }
  for (const text of mirror.texts) {
    await client.hset(names.seed(names.blobs(team)), sha256(text), text);
    sizes.set(BLOBS_SIZE, (sizes.get(BLOBS_SIZE) ?? 0) + Buffer.byteLength(text));
  }
  if (mirror.texts.length > 0) places.push(names.blobs(team));
  const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  await client.hset(names.seed(names.sizes(team)), { ...Object.fromEntries(sizes), [ALL_SIZES]: all });
  await seedLog(client, names.seed(names.log(team)), team, mirror.log);
  for (const key of places) await client.renamenx(names.seed(key), key);
  const placed = await client.renamenx(names.seed(names.log(team)), names.log(team));
  for (const key of await scanKeys(client, names.everySeed(team))) await client.unlink(key);
  return { entries: placed === 1 ? mirror.log.length : 0, aside };
}

async function seedLog(client: Redis, key: string, team: string, log: readonly RawEntry[]): Promise<void> {
  const writer = `mirror-${randomBytes(8).toString('hex')}`;
  let head = LOG_START;
  for (const entry of log) {
    const sealed = sealAgain(team, writer, head, entry);
    await client.xadd(key, sealed.head.id, ...sealed.fields);
    head = sealed.head;
  }
}

function sorted(
  memories: ReadonlyMap<string, readonly RawEntry[]>,
  turns: ReadonlySet<number>,
): { readonly kept: ReadonlyMap<string, readonly RawEntry[]>; readonly aside: readonly SetAside[] } {
  const kept = new Map<string, RawEntry[]>();
  const aside: SetAside[] = [];
  for (const [member, entries] of memories) {
    for (const entry of entries) {
      if (!turns.has(placeOf(entry[0])?.turn ?? 0)) {
        aside.push({ member, entry });
        continue;
      }
      const own = kept.get(member) ?? [];
      kept.set(member, own);
      own.push(entry);
    }
  }
  return { kept, aside };
}

function bytesOf(entries: readonly RawEntry[]): number {
  return entries.reduce((sum, entry) => sum + Buffer.byteLength(textOf(entry)), 0);
}

/** The numbers of the turns that a log knows. */
function turnsIn(entries: readonly LogEntry[]): ReadonlySet<number> {
  const turns = new Set<number>();
  for (const { first, facts } of entries) {
    for (const [place, { type }] of facts.entries()) if (type === 'turn.started') turns.add(first + place);
  }
  return turns;
}
