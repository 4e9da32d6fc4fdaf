/**
 * Transcripts on Redis: one stream a member, where the server itself is the fence (R4).
 *
 * What is appended at once is one entry of the stream, with the id `<turn>-<k>` of the last one it holds and its entries as
 * a JSON array: so it is there whole or not at all, and Redis refuses every older turn, and every second time. Between the
 * entries of one turn this process keeps the order, since the turn is its own. That nothing was lost before them the length
 * of the stream says: what a server has lost is its end.
 */

import type { Redis } from 'ioredis';
import { BugError, errorText, FatalError } from '../../shared/errors.js';
import { brokenError } from '../broken-record.js';
import type { TranscriptOutcome, Transcripts } from '../record.js';
import type { TranscriptEntry } from '../transcript-entry.js';
import { readTranscriptRows, type TranscriptLines } from '../transcript-lines.js';
import {
  admitEntries,
  type NumberedEntry,
  placeOf,
  TRANSCRIPT_START,
  type TranscriptPlace,
} from '../transcript-order.js';
import { fieldOf, type RawEntry, tooLarge } from './log-stream.js';
import type { OwnWrites } from './own-writes.js';
import type { Standing } from './redis-reach.js';
import { newestEntry, readStream } from './stream-pages.js';
import type { TeamWrites } from './team-writes.js';

export interface RedisTranscriptsSetup {
  readonly writes: TeamWrites;
  /** The stream of a member. */
  readonly keyOf: (member: string) => string;
  readonly own: Pick<OwnWrites, 'wroteMemory'>;
}

export class RedisTranscripts implements Transcripts {
  readonly #setup: RedisTranscriptsSetup;
  /** What this process knows as the end of each transcript; the server may know of a newer turn. */
  readonly #ends = new Map<string, StreamEnd>();
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
      this.#ends.set(member, { place, length: raw.length });
      return entries;
    });
  }

  async append(member: string, entries: readonly TranscriptEntry[]): Promise<TranscriptOutcome> {
    const { writes, keyOf } = this.#setup;
    const key = keyOf(member);
    writes.reach.refuseWhenOver();
    const text = JSON.stringify(entries);
    const order = entries.map(({ id, kind }) => ({ id, kind })); // As it is in the text, whatever becomes of the entries.
    let isSent: Write['isSent'] = () => {};
    const sent = new Promise<Standing>((resolve) => {
      isSent = resolve;
    });
    const work = (): Promise<TranscriptOutcome> => this.#add(member, key, order, text, isSent);
    return writes.handIn(Buffer.byteLength(text), this.#inLane(member, work), sent);
  }

  async #add(
    member: string,
    key: string,
    entries: readonly NumberedEntry[],
    text: string,
    isSent: Write['isSent'],
  ): Promise<TranscriptOutcome> {
    const { writes, own } = this.#setup;
    writes.reach.refuseWhenFailed();
    const known = this.#ends.get(member) ?? (await writes.reach.look((client) => endOf(client, key)));
    this.#ends.set(member, known);
    const admission = admitEntries(member, known.place, entries);
    if (admission.kind === 'fenced') return admission;
    if (entries.length === 0) return { kind: 'appended' };
    const { place } = admission;
    const [first] = entries;
    const write = { member, key, place, text, opens: first?.kind === 'opened', isSent };
    const outcome = await writes.reach.write((client) => this.#send(client, write, known));
    if (outcome.kind === 'fenced') {
      this.#ends.delete(member);
      return outcome;
    }
    const { length } = outcome;
    this.#ends.set(member, { place, length });
    own.wroteMemory({ member, entry: [`${place.turn}-${place.k}`, ['e', text]], length });
    return { kind: 'appended' };
  }

  /** @param known the end behind which it is written */
  async #send(client: Redis, write: Write, known: StreamEnd): Promise<Sent> {
    const { member, key, place, text } = write;
    const counted = { name: sizeName(member), bytes: Buffer.byteLength(text) };
    const args = [`${place.turn}-${place.k}`, 'e', text];
    const sending = this.#setup.writes.send(client, {
      command: 'XADD',
      key,
      args,
      behind: known.length,
      counted,
    });
    write.isSent({ key, length: known.length + 1 });
    const added = await sending.catch((error: unknown) => {
      if (!errorText(error).includes('equal or smaller')) throw error;
      return false;
    });
    if (added) return { kind: 'appended', length: known.length + 1 };
    const found = await whatIsThere(client, write, known);
    // Another process has run turns of the member since: this one comes behind them.
    return found.kind === 'grown' ? this.#send(client, write, found.end) : found;
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
  for (const entry of raw) {
    const [id] = entry;
    const text = fieldOf(entry, 'e');
    const large = tooLarge(text);
    const values = large === undefined ? listOf(text) : undefined;
    if (values === undefined)
      unreadable.push({ line: ++line, reason: `(in ${id}) ${large ?? 'holds no list of entries'}` });
    for (const value of values ?? []) rows.push({ value, line: ++line });
  }
  const read = readTranscriptRows(rows);
  const broken = [...unreadable, ...read.broken].sort((one, other) => one.line - other.line);
  return { entries: read.entries, place: read.place, broken };
}

/** The end of a transcript: its last entry, and how many entries the stream has. */
interface StreamEnd {
  readonly place: TranscriptPlace;
  readonly length: number;
}

interface Write {
  readonly member: string;
  readonly key: string;
  /** Of the last entry that is written. */
  readonly place: TranscriptPlace;
  readonly text: string;
  /** It begins a turn. */
  readonly opens: boolean;
  /** It is on its way; what comes behind it on the same line finds this, unless it came to nothing. */
  readonly isSent: (standing: Standing) => void;
}

type Sent =
  | { readonly kind: 'appended'; readonly length: number }
  | Extract<TranscriptOutcome, { kind: 'fenced' }>;

async function endOf(client: Redis, key: string): Promise<StreamEnd> {
  // Counted first: what comes between the two makes the stream longer than that, and is found when somebody writes.
  const length = await client.xlen(key);
  const newest = await newestEntry(client, key);
  if (newest === undefined) return { place: TRANSCRIPT_START, length: 0 };
  const place = placeOf(newest[0]);
  if (place === undefined) {
    throw new FatalError(
      'transcript-broken',
      `${key} ends with ${newest[0]}, which is no entry of a transcript`,
    );
  }
  return { place, length };
}

/**
 * The stream is not as this process knew it, or takes nothing at this place: our own, sent before its answer was lost; a
 * newer turn; older ones of other processes; or its end is lost.
 */
async function whatIsThere(
  client: Redis,
  { member, key, place, text, opens }: Write,
  known: StreamEnd,
): Promise<Sent | { readonly kind: 'grown'; readonly end: StreamEnd }> {
  const id = `${place.turn}-${place.k}`;
  const [own] = await client.xrange(key, id, id);
  const end = await endOf(client, key);
  if (own !== undefined && fieldOf(own, 'e') === text) return { kind: 'appended', length: end.length };
  if (end.place.turn > place.turn) return { kind: 'fenced', newest: end.place.turn };
  const since = compare(end.place, known.place);
  if (since < 0 || (since === 0 && end.length < known.length)) {
    const what = `${key} ends with ${shown(end.place)}, and this process has seen it up to ${shown(known.place)}`;
    throw new FatalError('transcript-lost', `${what}: the server has lost the rest; nothing was written`);
  }
  if (opens && end.place.turn < place.turn) return { kind: 'grown', end };
  const where = `transcript of ${member}: ${id} after ${shown(end.place)}`;
  throw new BugError('transcript-order', `${where}: somebody else writes the same turn`);
}

function compare(one: TranscriptPlace, other: TranscriptPlace): number {
  return one.turn - other.turn || one.k - other.k;
}

function shown({ turn, k }: TranscriptPlace): string {
  return turn === 0 ? 'nothing' : `${turn}-${k}`;
}

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined; // no JSON: told as an entry that holds no list
  }
}
