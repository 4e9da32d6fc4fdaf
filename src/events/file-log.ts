/**
 * `log.jsonl` as the log of the process that holds the lock. The next number is decided in memory, when an
 * append is made; the bytes follow with the commit of that pass.
 */

import { jsonLine } from '../shared/jsonl.js';
import type { AppendFile } from './append-file.js';
import { brokenError } from './broken-record.js';
import type { GroupCommit } from './group-commit.js';
import { type LogEntry, nextNumber } from './log-entry.js';
import { checkedEntry } from './log-envelope.js';
import { type LogLines, parseLog } from './log-lines.js';
import { placeOfNumber } from './number-index.js';
import type { AppendOutcome, EventLog } from './record.js';

/** Where an entry stands; what was handed in and is not yet durable has its place too. */
interface Placed {
  readonly first: number;
  readonly start: number;
}

export class FileLog implements EventLog {
  readonly writers = 'one';
  readonly #file: AppendFile;
  readonly #commit: GroupCommit;
  readonly #places: Placed[];
  #next: number;
  #end: number;
  /** The entries that opening had to parse anyway, until the first read takes them: no second parsing. */
  #opened: readonly LogEntry[] | undefined;

  /** @param lines the whole file as it was found, without broken lines, its torn tail cut off */
  constructor(file: AppendFile, commit: GroupCommit, lines: LogLines) {
    this.#file = file;
    this.#commit = commit;
    this.#places = lines.entries.map(({ first }, place) => ({ first, start: lines.ends[place - 1] ?? 0 }));
    this.#next = lines.next;
    this.#end = lines.goodBytes;
    this.#opened = lines.entries;
  }

  /** Bytes, what is not yet durable included. */
  get bytes(): number {
    return this.#end;
  }

  async read(from = 1): Promise<readonly LogEntry[]> {
    await this.#commit.settled();
    const place = placeOfNumber(this.#places, ({ first }) => first, from);
    const opened = this.#opened?.slice(place) ?? [];
    this.#opened = undefined;
    const rest = this.#places[place + opened.length];
    if (rest === undefined) return opened;
    const lines = parseLog(await this.#file.read(rest.start), rest.first);
    const [broken] = lines.broken;
    if (broken !== undefined) throw brokenError({ ...broken, path: this.#file.path });
    return [...opened, ...lines.entries];
  }

  async append(entry: LogEntry): Promise<AppendOutcome> {
    const line = jsonLine(checkedEntry(entry));
    if (entry.first !== this.#next) return this.#conflict();
    const written = this.#commit.add((batch) => {
      batch.log.push(line);
      this.#places.push({ first: entry.first, start: this.#end });
      this.#end += Buffer.byteLength(line);
      this.#next = nextNumber(entry);
    });
    await written;
    return { kind: 'appended' };
  }

  /** What was written first is durable, and so can be read, when the answer is given. */
  async #conflict(): Promise<AppendOutcome> {
    await this.#commit.settled();
    if (this.#commit.failure !== undefined) throw this.#commit.failure;
    return { kind: 'conflict', next: this.#next };
  }
}
