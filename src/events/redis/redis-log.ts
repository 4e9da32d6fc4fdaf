/**
 * The log of a team on Redis, as one process writes it while others do (spec/engine.md §1 "Redis log").
 *
 *  L1 at most one call of the script is in flight: what is appended meanwhile goes together into the next entry of the
 *     stream, several entries of the log at once;
 *  L2 what others wrote first costs all that ran ahead of it: after a conflict every append is answered `conflict` until
 *     `read` was called, since it was decided on a state that never was, and its number may fit by accident;
 *  L3 a broken connection is no answer. The entry is sent again: compare-and-set makes it harmless when the first one has
 *     arrived, and when it arrives later; if something else stands there, its own digest is looked for at its place;
 *  L4 a reading begins at the newest entry this process has seen. When that is missing, or another, the server has lost
 *     something: `log-lost`; when the whole stream is, the team was removed: `log-gone`. Both end this record.
 */

import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { FatalError } from '../../shared/errors.js';
import { brokenError } from '../broken-record.js';
import { type LogEntry, nextNumber } from '../log-entry.js';
import { checkedEntry } from '../log-envelope.js';
import type { AppendOutcome, EventLog } from '../record.js';
import { appendToStream } from './append-script.js';
import {
  digestIn,
  firstOf,
  LOG_START,
  type LogHead,
  openStream,
  type Sealed,
  seal,
  streamId,
} from './log-stream.js';
import type { OwnWrites } from './own-writes.js';
import type { RedisReach, Standing } from './redis-reach.js';
import type { LogStart, RedisSnapshots } from './redis-snapshots.js';
import type { ServerClock } from './server-clock.js';
import { newestEntry, readStream } from './stream-pages.js';

/** Bounds of one entry of the stream: a reader takes a page of them at once. */
const MOST_ENTRIES = 256;
const MOST_BYTES = 1024 * 1024;

/** What becomes one entry of the stream, and has one outcome. */
interface Batch {
  readonly lines: string[];
  bytes: number;
  next: number;
  readonly outcome: Promise<AppendOutcome>;
  readonly settle: (outcome: AppendOutcome) => void;
  readonly refuse: (error: unknown) => void;
}

export interface RedisLogSetup {
  readonly reach: RedisReach;
  readonly key: string;
  readonly team: string;
  readonly clock: Pick<ServerClock, 'heard'>;
  readonly own: Pick<OwnWrites, 'wroteLog'>;
}

export class RedisLog implements EventLog {
  readonly writers = 'many';
  readonly #setup: RedisLogSetup;
  readonly #writer = randomBytes(8).toString('hex');
  /** The newest entry of the stream that this process has seen. */
  #head: LogHead = LOG_START;
  /** The number that the next append must have, those that wait included. */
  #next = LOG_START.next;
  #queue: Batch[] = [];
  /** Scripts and readings, one after the other. */
  #lane: Promise<unknown> = Promise.resolve();
  #writing = false;
  /** The newest batch, whether it waits, is in flight or has come to its end. */
  #newest: Batch | undefined;
  /** How often what ran ahead was lost. */
  #losses = 0;
  /** After a loss, until somebody has read. */
  #astray = false;
  #bytes = 0;
  #bytesAhead = 0;
  /** What opening has read, until the first reading takes it. */
  #opened:
    | { readonly from: number; readonly entries: readonly LogEntry[]; readonly next: number }
    | undefined;
  snapshots?: RedisSnapshots;

  constructor(setup: RedisLogSetup) {
    this.#setup = setup;
  }

  /** Bytes, what waits to be written included. */
  get bytes(): number {
    return this.#bytes + this.#bytesAhead;
  }

  get key(): string {
    return this.#setup.key;
  }

  /** The newest entry that this process has seen; `LOG_START` before the first: then the stream need not be there. */
  get head(): LogHead {
    return this.#head;
  }

  /**
   * Reads what there is, for the first reading.
   * @param start an entry that the log was just seen to hold: what stands before it is read only when somebody asks
   * @returns how many entries were read
   */
  async open(start?: LogStart): Promise<number> {
    if (start !== undefined) {
      this.#head = start.head;
      this.#bytes = start.bytes;
    }
    const from = this.#head.next;
    const entries = await this.read(from);
    this.#opened = { from, entries, next: this.#head.next };
    return entries.length;
  }

  async read(from = 1): Promise<readonly LogEntry[]> {
    const losses = this.#losses;
    await this.settled();
    return this.#inLane(async () => {
      const opened = this.#opened === undefined || from < this.#opened.from ? undefined : this.#opened;
      const start = opened?.next ?? from;
      const read = await this.#setup.reach.look((client) => this.#readFrom(client, start));
      this.#opened = undefined;
      if (read.head.id !== this.#head.id && this.#queue.length > 0)
        this.#lose(read.head.next, this.#takeAll());
      this.#head = read.head;
      this.#bytes += read.added;
      if (losses === this.#losses) this.#astray = false;
      if (this.#queue.length === 0) this.#next = this.#head.next;
      const tail = read.entries.filter(({ first }) => first >= start);
      return [...(opened?.entries ?? []), ...tail].filter(({ first }) => first >= from);
    });
  }

  async append(entry: LogEntry): Promise<AppendOutcome> {
    this.#setup.reach.refuseWhenOver();
    const line = JSON.stringify(checkedEntry(entry));
    if (this.#astray || entry.first !== this.#next) return this.#conflict();
    const bytes = Buffer.byteLength(line);
    const batch = this.#batchFor(bytes);
    batch.lines.push(line);
    batch.bytes += bytes;
    batch.next = nextNumber(entry);
    this.#bytesAhead += bytes;
    this.#next = batch.next;
    return batch.outcome;
  }

  /** Resolves when all that was appended so far has its outcome; never rejects. */
  async settled(): Promise<void> {
    await this.#newest?.outcome.catch(() => undefined); // Who appended has the error.
  }

  async #conflict(): Promise<AppendOutcome> {
    await this.settled();
    if (this.#setup.reach.failure !== undefined) throw this.#setup.reach.failure;
    return { kind: 'conflict', next: this.#next };
  }

  /** The batch that waits last, when there is room in it, else a new one. */
  #batchFor(bytes: number): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.lines.length < MOST_ENTRIES && last.bytes + bytes <= MOST_BYTES)
      return last;
    const batch = newBatch();
    this.#queue.push(batch);
    this.#newest = batch;
    if (!this.#writing) this.#wake();
    return batch;
  }

  #wake(): void {
    this.#writing = true;
    void this.#inLane(() => this.#writeOne());
  }

  /** Never rejects: whoever appended is told. */
  async #writeOne(): Promise<void> {
    const batch = this.#queue.shift(); // From here on nothing is added to it.
    try {
      const handedIn = this.#setup.reach.handedIn();
      const before = handedIn === undefined ? [] : await handedIn;
      this.#setup.reach.refuseWhenFailed();
      if (batch !== undefined) await this.#commit(batch, before);
    } catch (error) {
      for (const { refuse } of [batch, ...this.#takeAll()].flatMap((one) => one ?? [])) {
        refuse(this.#setup.reach.failure ?? error);
      }
    }
    this.#bytesAhead -= batch?.bytes ?? 0;
    this.#writing = this.#queue.length > 0;
    if (this.#writing) this.#wake();
  }

  #takeAll(): Batch[] {
    const all = this.#queue;
    this.#queue = [];
    for (const { bytes } of all) this.#bytesAhead -= bytes;
    return all;
  }

  /** @param before what must stand on the server by then */
  async #commit(batch: Batch, before: readonly Standing[]): Promise<void> {
    const { team, reach, own } = this.#setup;
    const sealed = seal(team, this.#writer, this.#head, batch);
    const outcome = await reach.write((client, tries) => this.#send(client, sealed, tries, before));
    if (outcome.kind === 'early') {
      // Who wrote it hears why it does not stand, or mends that: an entry that comes behind it is asked for after that.
      await reach.ended();
      reach.refuseWhenFailed();
      return this.#commit(batch, []);
    }
    if (outcome.kind === 'conflict') {
      this.#lose(outcome.next, [batch, ...this.#takeAll()]);
      return;
    }
    this.#head = sealed.head;
    this.#bytes += sealed.bytes;
    own.wroteLog([sealed.head.id, sealed.fields]);
    batch.settle(outcome);
  }

  async #send(
    client: Redis,
    sealed: Sealed,
    tries: number,
    before: readonly Standing[],
  ): Promise<AppendOutcome | { readonly kind: 'early' }> {
    const { key, clock } = this.#setup;
    const { id, digest } = sealed.head;
    const answer = await appendToStream(client, key, this.#head, sealed, before);
    if (answer.kind === 'early') return answer;
    clock.heard(answer.serverMs);
    switch (answer.kind) {
      case 'ok':
        return { kind: 'appended' };
      case 'gone':
        throw this.#gone();
      case 'no': {
        if (answer.digest === digest) return { kind: 'appended' };
        if (tries > 0 && (await isThere(client, key, id, digest))) return { kind: 'appended' };
        return { kind: 'conflict', next: answer.id === '' ? 1 : firstOf(answer.id) + answer.count };
      }
    }
  }

  /** What ran ahead of somebody else's entry never was. */
  #lose(next: number, lost: readonly Batch[]): void {
    this.#losses++;
    this.#astray = true;
    this.#next = next;
    for (const { settle } of lost) settle({ kind: 'conflict', next });
  }

  /** Nothing of the log changes in here: a reading may be tried several times. */
  async #readFrom(client: Redis, from: number): Promise<TailRead> {
    const { key, team } = this.#setup;
    const known = this.#head;
    const start = await this.#startOf(client, from);
    const raw = await readStream(client, key, start);
    const at = raw.findIndex(([id]) => id === known.id);
    const there = raw[at];
    if (known !== LOG_START && (there === undefined || digestIn(there) !== known.digest))
      throw await this.lost(client);
    // What is known already is not opened once more, when nobody asks for it.
    const onlyNew = start === known.id && from >= known.next;
    const [tail, before] = onlyNew ? [raw.slice(1), known.digest] : [raw, beforeAll(start)];
    const { entries, heads, broken } = openStream(team, tail, before);
    const [first] = broken;
    if (first !== undefined) throw brokenError({ ...first, path: `${key} from ${tail[0]?.[0]}` });
    const fresh = raw.length - 1 - at;
    const added = heads.slice(heads.length - fresh).reduce((sum, { bytes }) => sum + bytes, 0);
    return { entries, head: heads.at(-1) ?? known, added };
  }

  /** The stream entry to begin at: never behind the newest one that is known. */
  async #startOf(client: Redis, from: number): Promise<string> {
    if (from >= this.#head.next) return this.#head === LOG_START ? '-' : this.#head.id;
    const holder = await newestEntry(client, this.#setup.key, streamId(from));
    return holder?.[0] ?? '-';
  }

  /** What this process has seen is not there: from here on nothing more is written. @returns what is missing */
  async lost(client: Redis): Promise<Error> {
    const { key, team, reach } = this.#setup;
    const newest = await newestEntry(client, key);
    const there = newest === undefined ? undefined : openStream(team, [newest], undefined).heads[0];
    if (there === undefined) return this.#gone();
    const seen = this.#head.next - 1;
    const what =
      there.next <= seen
        ? `${key} ends with fact ${there.next - 1}, and this process has seen it up to ${seen}: facts ${there.next} to ${seen} are missing`
        : `${key} holds other facts than this process has seen: those of entry ${this.#head.id}, up to ${seen}, are missing`;
    const remedy =
      'the server has lost the end of the log (a restart, or a replica that was behind); what it holds now stands';
    return reach.fail(new FatalError('log-lost', `${what}; ${remedy}`));
  }

  #gone(): Error {
    const { key, team, reach } = this.#setup;
    const what = `${key} is not there any more: the team ${team} was removed, or the server has lost its data`;
    return reach.fail(new FatalError('log-gone', `${what}; nothing was written`));
  }

  #inLane<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lane.then(work);
    this.#lane = done.catch(() => undefined); // The caller has the error; the next has its own.
    return done;
  }
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => {};
  let refuse: Batch['refuse'] = () => {};
  const outcome = new Promise<AppendOutcome>((resolve, reject) => {
    settle = resolve;
    refuse = reject;
  });
  outcome.catch(() => undefined); // Who appended has the error.
  return { lines: [], bytes: 0, next: 0, outcome, settle, refuse };
}

interface TailRead {
  readonly entries: readonly LogEntry[];
  readonly head: LogHead;
  /** Bytes of what stands behind the newest entry that was known. */
  readonly added: number;
}

/** What the first entry of a reading must name as the one before it; undefined where the reading begins in the middle. */
function beforeAll(start: string): string | undefined {
  return start === '-' ? LOG_START.digest : undefined;
}

/** Whether the entry with the id is the one with the digest. */
async function isThere(client: Redis, key: string, id: string, digest: string): Promise<boolean> {
  const [found] = await client.xrange(key, id, id);
  return found !== undefined && digestIn(found) === digest;
}
