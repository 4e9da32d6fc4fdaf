/**
 * The mirror of a team on Redis: its record once more, in a file on the machine of whoever has the lease of the run, and of
 * nobody else (spec/engine.md §1 "Loss"). From it a record is put back that the server has lost (`mend-from-mirror`).
 *
 *  M1 the log is read first and written last: what it names is in the mirror before it;
 *  M2 it follows what is durable on the server, a moment behind; what a server lost within that moment is lost. What this
 *     process has written itself it takes from itself, where nobody else has written in between;
 *  M3 it costs the run nothing: when it cannot be written that is told, and the run goes on without it.
 */

import type { LogEntry } from '../../events/log-entry.js';
import {
  digestIn,
  fieldOf,
  firstOf,
  LOG_START,
  type RawEntry,
  readHead,
} from '../../events/redis/log-stream.js';
import { MirrorFile } from '../../events/redis/mirror-file.js';
import type { MirrorItem } from '../../events/redis/mirror-lines.js';
import type { OwnMemory, OwnWrites } from '../../events/redis/own-writes.js';
import type { RedisTail } from '../../events/redis/redis-tail.js';
import { type RedisViewOptions, readRedisRecord, redisTails } from '../../events/redis/redis-view.js';
import { errorText, FatalError } from '../../shared/errors.js';
import { mirrorPath } from './mend-from-mirror.js';
import type { RedisLink } from './redis-link.js';

/** How soon behind an entry it is mirrored, in milliseconds: many of them go together. */
const BEHIND_MS = 200;

/** How long the server may be away before a look gives up, in milliseconds: an end is not held up by it. */
const UNREACHABLE_MS = 1_000;

export class Mirror {
  readonly #from: RedisViewOptions;
  readonly #path: string;
  readonly #trouble: (text: string) => void;
  readonly #log: RedisTail;
  /** By member: how many entries are mirrored. */
  readonly #memories = new Map<string, { readonly tail: RedisTail; length: number }>();
  readonly #own: OwnWrites;
  readonly #texts = new Set<string>();
  /** Entries that were recorded and are not in the mirror yet. */
  #behind: LogEntry[] = [];
  #file: MirrorFile | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #over = false;

  /**
   * Nothing is written before something was recorded; then what was mirrored of an earlier run is written anew.
   * @param folder of the team on this machine
   * @param trouble hears one line when it cannot be written; must not throw
   */
  constructor(
    { connection, names }: RedisLink,
    own: OwnWrites,
    team: string,
    folder: string,
    trouble: (text: string) => void,
  ) {
    this.#from = { connection, names, team, reading: 'strict', unreachableMs: UNREACHABLE_MS };
    this.#log = redisTails(this.#from).log();
    this.#path = mirrorPath(folder);
    this.#trouble = trouble;
    this.#own = own;
    own.keep();
  }

  /** An entry was recorded: soon it is in the mirror as well. */
  entry(entry: LogEntry): void {
    if (!this.#over) this.#behind.push(entry);
    this.look();
  }

  /** What was recorded before is soon in the mirror as well. */
  look(): void {
    if (this.#over || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#follow());
    }, BEHIND_MS);
  }

  /**
   * Takes in what is there, and closes its file. Idempotent.
   * @returns the entries that were recorded and came into no mirror
   */
  async close(): Promise<readonly LogEntry[]> {
    clearTimeout(this.#timer);
    this.#work = this.#work.then(() => this.#follow());
    await this.#work;
    this.#ends();
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
    return this.#behind;
  }

  /** Never rejects. */
  async #follow(): Promise<void> {
    if (this.#over) return;
    try {
      const own = this.#own.take();
      const written = this.#ownLog(own.log);
      const log = written ?? (await restOf(this.#log));
      if (log.length === 0) return;
      if (written !== undefined) this.#log.told(written);
      const held: MirrorItem[] = [
        ...(written === undefined ? await this.#newMemories() : await this.#ownMemories(own.memories)),
        ...(await this.#newTexts()),
        ...log.map((entry): MirrorItem => ({ kind: 'log', entry })),
      ];
      // What the log names may have been lost since it was read (M1).
      if (!(await this.#log.holds())) throw new FatalError('log-lost', 'the server has lost of the record');
      if (this.#file === undefined) this.#file = await MirrorFile.begin(this.#path, this.#from.team, held);
      else await this.#file.add(held);
      // An entry of the stream may hold several of the log: what is told twice is told once in the end.
      const newest = firstOf(log.at(-1)?.[0] ?? '');
      this.#behind = this.#behind.filter(({ first }) => first > newest);
    } catch (error) {
      this.#ends(); // What was written stays: it is the record as it was then.
      // Whoever writes the record finds that as well, and goes by it.
      if (error instanceof FatalError && error.code === 'log-lost') return;
      this.#trouble(`the mirror of the record is written no more: ${errorText(error)}`);
    }
  }

  #ends(): void {
    this.#over = true;
    this.#own.drop();
  }

  /** What this process has added to the log, where that is all there is behind what is mirrored; undefined where it is not. */
  #ownLog(entries: readonly RawEntry[]): readonly MirrorEntry[] | undefined {
    const { newest } = this.#log;
    let before = newest === undefined ? LOG_START.digest : digestIn(newest);
    const from = newest === undefined ? 0 : firstOf(newest[0]);
    // Read from the server already, where others had written as well.
    const fresh = entries.filter(([id]) => firstOf(id) > from);
    if (fresh.length === 0) return undefined;
    for (const entry of fresh) {
      if (readHead(fieldOf(entry, 'h'))?.prev !== before) return undefined;
      before = digestIn(entry);
    }
    return fresh.map(copyOf);
  }

  /** What this process has added to memories; where others have added to one as well, what is there. */
  async #ownMemories(written: readonly OwnMemory[]): Promise<readonly MirrorItem[]> {
    const held: MirrorItem[] = [];
    for (const { member, entry, length } of written) {
      const memory = this.#memoryOf(member);
      if (length <= memory.length) continue;
      if (length !== memory.length + 1) {
        held.push(...(await this.#newMemory(member)));
        continue;
      }
      memory.tail.told([entry]);
      memory.length = length;
      held.push({ kind: 'memory', member, entry: copyOf(entry) });
    }
    return held;
  }

  async #newMemories(): Promise<readonly MirrorItem[]> {
    const held: MirrorItem[] = [];
    for (const member of await readRedisRecord(this.#from).members())
      held.push(...(await this.#newMemory(member)));
    return held;
  }

  async #newMemory(member: string): Promise<readonly MirrorItem[]> {
    const memory = this.#memoryOf(member);
    const entries = await restOf(memory.tail);
    memory.length += entries.length;
    return entries.map((entry): MirrorItem => ({ kind: 'memory', member, entry }));
  }

  #memoryOf(member: string): { readonly tail: RedisTail; length: number } {
    const known = this.#memories.get(member);
    if (known !== undefined) return known;
    const memory = { tail: redisTails(this.#from).transcript(member), length: 0 };
    this.#memories.set(member, memory);
    return memory;
  }

  async #newTexts(): Promise<readonly MirrorItem[]> {
    const view = readRedisRecord(this.#from);
    const held: MirrorItem[] = [];
    for (const digest of await view.blobs()) {
      if (this.#texts.has(digest)) continue;
      const text = await view.blob(digest);
      this.#texts.add(digest);
      if (text !== undefined) held.push({ kind: 'text', text });
    }
    return held;
  }
}

/** All that has come since. */
async function restOf(tail: RedisTail): Promise<MirrorEntry[]> {
  const all: MirrorEntry[] = [];
  for (;;) {
    const some = await tail.next();
    if (some.length === 0) return all;
    all.push(...some.map(copyOf));
  }
}

function copyOf([id, fields]: RawEntry): MirrorEntry {
  return [id, [...fields]];
}

type MirrorEntry = Extract<MirrorItem, { kind: 'log' }>['entry'];
