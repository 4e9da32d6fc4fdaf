/**
 * The mirror of a team on Redis: its record once more, as files on the machine of whoever has the lease of the run, and of
 * nobody else (spec/engine.md §1 "Loss"). From it a record is put back that the server has lost (`mend-from-mirror`).
 *
 *  M1 the log is read first and written last: what it names is in the mirror before it;
 *  M2 it follows what is durable on the server, a moment behind; what a server lost within that moment is lost;
 *  M3 it costs the run nothing: when it cannot be written that is told, and the run goes on without it.
 */

import { rename, rm } from 'node:fs/promises';
import { appendAll, appendMemory, openCopy } from '../../events/copy-record.js';
import type { Lines } from '../../events/line-follower.js';
import type { LogEntry } from '../../events/log-entry.js';
import { checkEnvelope } from '../../events/log-envelope.js';
import type { TeamRecord } from '../../events/record.js';
import { type RedisViewOptions, readRedisRecord, redisLines } from '../../events/redis/redis-view.js';
import { transcriptEntry } from '../../events/transcript-entry.js';
import { errorText, FatalError } from '../../shared/errors.js';
import type { House } from '../house.js';
import { mirrorFolder } from './mend-from-mirror.js';
import type { RedisLink } from './redis-link.js';

/** How soon behind an entry it is mirrored, in milliseconds: many of them go together. */
const BEHIND_MS = 200;

/** How long the server may be away before a look gives up, in milliseconds: an end is not held up by it. */
const UNREACHABLE_MS = 1_000;

export class Mirror {
  readonly #from: RedisViewOptions;
  readonly #folder: string;
  readonly #house: Pick<House, 'clock'>;
  readonly #trouble: (text: string) => void;
  readonly #log: Lines;
  /** By member. */
  readonly #memories = new Map<string, Lines>();
  readonly #blobs = new Set<string>();
  #copy: TeamRecord | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #over = false;

  /**
   * Nothing is written before something was recorded; then what was mirrored of an earlier run is written anew.
   * @param folder of the team on this machine
   * @param trouble hears one line when it cannot be written; must not throw
   */
  constructor(
    house: Pick<House, 'clock'>,
    { connection, names }: RedisLink,
    team: string,
    folder: string,
    trouble: (text: string) => void,
  ) {
    this.#from = { connection, names, team, reading: 'strict', unreachableMs: UNREACHABLE_MS };
    this.#log = redisLines(this.#from).log();
    this.#folder = mirrorFolder(folder);
    this.#house = house;
    this.#trouble = trouble;
  }

  /** Something was recorded: soon it is in the mirror as well. */
  look(): void {
    if (this.#over || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#follow());
    }, BEHIND_MS);
  }

  /** Takes in what is there, and closes its files. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#work = this.#work.then(() => this.#follow());
    await this.#work;
    this.#over = true;
    await this.#copy?.close();
  }

  /** Never rejects. */
  async #follow(): Promise<void> {
    if (this.#over) return;
    try {
      const entries = await this.#newEntries();
      if (entries.length === 0) return;
      if (this.#copy !== undefined) await this.#write(this.#copy, entries);
      else this.#copy = await this.#begin(entries);
    } catch (error) {
      this.#over = true; // What was written stays: it is the record as it was then.
      this.#trouble(`the mirror of the record is written no more: ${errorText(error)}`);
    }
  }

  /** Written beside the mirror that there was, and in its place when it is whole. */
  async #begin(entries: readonly LogEntry[]): Promise<TeamRecord> {
    const fresh = `${this.#folder}.new`;
    const { clock } = this.#house;
    await rm(fresh, { recursive: true, force: true });
    const copy = await openCopy(fresh, clock, 'create');
    try {
      await this.#write(copy, entries);
    } finally {
      await copy.close();
    }
    await rm(this.#folder, { recursive: true, force: true });
    await rename(fresh, this.#folder);
    return openCopy(this.#folder, clock, 'open');
  }

  async #write(copy: TeamRecord, entries: readonly LogEntry[]): Promise<void> {
    const view = readRedisRecord(this.#from);
    for (const member of await view.members()) {
      const lines = this.#memories.get(member) ?? redisLines(this.#from).transcript(member);
      this.#memories.set(member, lines);
      const memory = (await newLines(lines)).map((line) => transcriptEntry.parse(JSON.parse(line)));
      await appendMemory(member, memory, copy);
    }
    for (const digest of await view.blobs()) {
      const text = this.#blobs.has(digest) ? undefined : await view.blob(digest);
      if (text !== undefined) await copy.blobs.put(text);
      this.#blobs.add(digest);
    }
    await appendAll(entries, copy);
  }

  async #newEntries(): Promise<readonly LogEntry[]> {
    return (await newLines(this.#log)).map((line) => {
      const check = checkEnvelope(JSON.parse(line));
      if (check.kind === 'entry') return check.entry;
      throw new FatalError(check.code, `an entry of the log ${check.reason}`);
    });
  }
}

async function newLines(lines: Lines): Promise<readonly string[]> {
  const all: string[] = [];
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) all.push(line);
  return all;
}
