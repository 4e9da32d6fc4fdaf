/**
 * Transcripts on Redis: one stream a member, where the server itself is the fence (R4).
 *
 * What is appended at once is one entry of the stream, with the id `<turn>-<k>` of the last one it holds and its entries as
 * a JSON array: so it is there whole or not at all, and Redis refuses every older turn, and every second time. Between the
 * entries of one turn this process keeps the order, since the turn is its own.
 */

import type { Redis } from 'ioredis';
import { BugError, errorText, FatalError } from '../../shared/errors.js';
import { brokenError } from '../broken-record.js';
import type { TranscriptOutcome, Transcripts } from '../record.js';
import type { TranscriptEntry } from '../transcript-entry.js';
import { readTranscriptRows, type TranscriptLines } from '../transcript-lines.js';
import { admitEntries, placeOf, TRANSCRIPT_START, type TranscriptPlace } from '../transcript-order.js';
import type { RawEntry } from './log-stream.js';
import { newestEntry, readStream } from './stream-pages.js';
import type { TeamWrites } from './team-writes.js';

export interface RedisTranscriptsSetup {
  readonly writes: TeamWrites;
  /** The stream of a member. */
  readonly keyOf: (member: string) => string;
}

export class RedisTranscripts implements Transcripts {
  readonly #setup: RedisTranscriptsSetup;
  /** What this process knows as the last entry of each member; the server may know of a newer turn. */
  readonly #places = new Map<string, TranscriptPlace>();
  readonly #lanes = new Map<string, Promise<unknown>>();

  constructor(setup: RedisTranscriptsSetup) {
    this.#setup = setup;
  }

  async read(member: string): Promise<readonly TranscriptEntry[]> {
    const key = this.#setup.keyOf(member);
    return this.#inLane(member, async () => {
      const raw = await this.#setup.writes.reach.look((client) => readStream(client, key, '-'));
      const { entries, place, broken } = openTranscriptStream(raw);
      const [first] = broken;
      if (first !== undefined) throw brokenError({ ...first, code: 'transcript-broken', path: key });
      this.#places.set(member, place);
      return entries;
    });
  }

  async append(member: string, entries: readonly TranscriptEntry[]): Promise<TranscriptOutcome> {
    const { writes, keyOf } = this.#setup;
    const key = keyOf(member);
    writes.reach.refuseWhenOver();
    const text = JSON.stringify(entries);
    const copy: readonly TranscriptEntry[] = JSON.parse(text);
    const work = (): Promise<TranscriptOutcome> => this.#add(member, key, copy, text);
    return writes.handIn(Buffer.byteLength(text), this.#inLane(member, work));
  }

  async #add(
    member: string,
    key: string,
    entries: readonly TranscriptEntry[],
    text: string,
  ): Promise<TranscriptOutcome> {
    const { writes } = this.#setup;
    writes.reach.refuseWhenFailed();
    const last = this.#places.get(member) ?? (await writes.reach.look((client) => lastPlace(client, key)));
    this.#places.set(member, last);
    const admission = admitEntries(member, last, entries);
    if (admission.kind === 'fenced') return admission;
    if (entries.length === 0) return { kind: 'appended' };
    const { turn, k } = admission.place;
    const id = `${turn}-${k}`;
    const counted = { name: sizeName(member), bytes: Buffer.byteLength(text) };
    const outcome = await writes.reach.write(async (client): Promise<TranscriptOutcome> => {
      try {
        await writes.send(client, { command: 'XADD', key, args: [id, 'e', text], counted });
        return { kind: 'appended' };
      } catch (error) {
        if (!errorText(error).includes('equal or smaller')) throw error;
        return refusal(client, member, key, admission.place, text);
      }
    });
    if (outcome.kind === 'appended') this.#places.set(member, admission.place);
    else this.#places.delete(member);
    return outcome;
  }

  #inLane<T>(member: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#lanes.get(member) ?? Promise.resolve()).then(work);
    const lane = done.catch(() => undefined); // The caller has the error; the next has its own.
    this.#lanes.set(member, lane);
    void lane.then(() => {
      if (this.#lanes.get(member) === lane) this.#lanes.delete(member);
    });
    return done;
  }
}

/** Under which name the bytes of a member's transcript are counted. */
export function sizeName(member: string): string {
  return `t:${member}`;
}

/** The member of such a name; undefined for another. */
export function memberOfSize(name: string): string | undefined {
  return name.startsWith('t:') ? name.slice(2) : undefined;
}

/** Opens what was read of a whole stream. Total; `line` of what is broken counts entries of the transcript. */
export function openTranscriptStream(
  raw: readonly RawEntry[],
): Pick<TranscriptLines, 'entries' | 'place' | 'broken'> {
  const rows: { value: unknown; line: number }[] = [];
  const unreadable: { line: number; reason: string }[] = [];
  let line = 0;
  for (const [id, fields] of raw) {
    const values = listOf(fields[fields.indexOf('e') + 1] ?? '');
    if (values === undefined)
      unreadable.push({ line: ++line, reason: `(in ${id}) holds no list of entries` });
    for (const value of values ?? []) rows.push({ value, line: ++line });
  }
  const read = readTranscriptRows(rows);
  const broken = [...unreadable, ...read.broken].sort((one, other) => one.line - other.line);
  return { entries: read.entries, place: read.place, broken };
}

async function lastPlace(client: Redis, key: string): Promise<TranscriptPlace> {
  const newest = await newestEntry(client, key);
  if (newest === undefined) return TRANSCRIPT_START;
  const place = placeOf(newest[0]);
  if (place === undefined) {
    throw new FatalError(
      'transcript-broken',
      `${key} ends with ${newest[0]}, which is no entry of a transcript`,
    );
  }
  return place;
}

/** Redis has something that is not older: our own, sent before its answer was lost; a newer turn; or a rival's entry. */
async function refusal(
  client: Redis,
  member: string,
  key: string,
  place: TranscriptPlace,
  text: string,
): Promise<TranscriptOutcome> {
  const id = `${place.turn}-${place.k}`;
  const [own] = await client.xrange(key, id, id);
  if (own !== undefined && own[1][own[1].indexOf('e') + 1] === text) return { kind: 'appended' };
  const newest = await lastPlace(client, key);
  if (newest.turn > place.turn) return { kind: 'fenced', newest: newest.turn };
  const where = `transcript of ${member}: ${id} after ${newest.turn}-${newest.k}`;
  throw new BugError('transcript-order', `${where}: somebody else writes the same turn`);
}

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined; // no JSON: told as an entry that holds no list
  }
}
