/**
 * What a kill leaves of a run: copies of a finished team's folder, cut as the order of writes allows it
 * (spec/engine.md §2: transcripts first, log last).
 *
 *  1. Entry n of the log is there, and n+1 is not: of each member's transcript everything is there that was durable
 *     before its newest kept entry was, and `ahead` entries more of the member that writes entry n+1: those that its
 *     process had written when it died between two writes.
 *  2. A copy has a home of its own and the team's old id; its workspace is the one that the record names, put back
 *     to what it was then. So the copies of one run are used one after the other.
 */

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LogEntry, nextNumber } from '../../src/events/log-entry.js';
import { readFileRecord } from '../../src/events/record-view.js';
import { type TranscriptEntry, turnOf } from '../../src/events/transcript-entry.js';
import { runsFolder } from '../../src/runtime/house.js';
import type { TestHouse } from './team.js';
import { tempDir } from './temp-dir.js';

export interface Cut {
  /** Log entries that are there. */
  readonly entries: number;
  /** Transcript entries beyond those, of the member that writes next; 0 to `ahead(entries).most`. */
  readonly ahead?: number;
  /** Whether a call that had started and has no result took effect before the kill; it did not unless said. */
  readonly interrupted?: 'done' | 'undone';
}

export interface CutTeam extends TestHouse {
  readonly id: string;
  readonly folder: string;
}

/** The record of a team that nobody runs, ready to be cut. */
export class WrittenRecord {
  readonly #at: TestHouse;
  readonly #id: string;
  readonly #files: Readonly<Record<string, string>>;
  readonly #harmless: readonly string[];
  readonly entries: readonly LogEntry[];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>;

  private constructor(
    at: TestHouse,
    id: string,
    files: Readonly<Record<string, string>>,
    harmless: readonly string[],
    entries: readonly LogEntry[],
    transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>,
  ) {
    this.#at = at;
    this.#id = id;
    this.#files = files;
    this.#harmless = harmless;
    this.entries = entries;
    this.transcripts = transcripts;
  }

  /**
   * Reads the record of a team.
   * @param files the workspace as it was before the run
   * @param harmless tools whose calls leave the workspace as it is
   */
  static async of(
    at: TestHouse,
    id: string,
    files: Readonly<Record<string, string>> = {},
    harmless: readonly string[] = [],
  ): Promise<WrittenRecord> {
    const view = readFileRecord(join(runsFolder(at.house), id), 'strict');
    const { entries } = await view.log();
    const transcripts = new Map<string, readonly TranscriptEntry[]>();
    for (const member of await view.members())
      transcripts.set(member, (await view.transcript(member)).entries);
    return new WrittenRecord(at, id, files, harmless, entries, transcripts);
  }

  /** How many log entries are there up to and with the first that holds a fact that fits. */
  upTo(fits: (fact: LogEntry['facts'][number]) => boolean): number {
    const index = this.entries.findIndex((entry) => entry.facts.some(fits));
    if (index === -1) throw new Error('no entry of the record has such a fact');
    return index + 1;
  }

  /** Who may have written further than the first n log entries say, and how many transcript entries at most. */
  ahead(n: number): { readonly member: string; readonly most: number } | undefined {
    const next = this.entries[n];
    if (next === undefined) return undefined;
    const level = this.#level(n);
    for (const [member, least] of this.#needed(next)) {
      const most = least - (level.get(member) ?? 0);
      if (most > 0) return { member, most };
    }
    return undefined;
  }

  /** Every cut there is: after each entry but the last, level and each number of entries ahead. */
  everyCut(): Cut[] {
    return this.entries.slice(1).flatMap((_, index) => {
      const entries = index + 1;
      const most = this.ahead(entries)?.most ?? 0;
      return Array.from({ length: most + 1 }, (_, ahead) => ({ entries, ahead }));
    });
  }

  /** Makes the copy. */
  async cut({ entries: n, ahead = 0, interrupted = 'undone' }: Cut): Promise<CutTeam> {
    const writer = this.ahead(n);
    if (n < 1 || n > this.entries.length || ahead > (writer?.most ?? 0)) {
      throw new Error(
        `no such cut: ${n} entries of ${this.entries.length}, ${ahead} ahead of ${writer?.most}`,
      );
    }
    const kept = this.#level(n);
    if (writer !== undefined) kept.set(writer.member, (kept.get(writer.member) ?? 0) + ahead);
    const home = join(await tempDir('cut'), 'home');
    const house = { ...this.#at.house, home };
    const from = join(runsFolder(this.#at.house), this.#id);
    const folder = join(runsFolder(house), this.#id);
    await mkdir(join(folder, 'transcripts'), { recursive: true, mode: 0o700 });
    await cp(join(from, 'blobs'), join(folder, 'blobs'), { recursive: true });
    await copyLines(join(from, 'log.jsonl'), join(folder, 'log.jsonl'), n);
    for (const [member, lines] of kept) {
      const name = join('transcripts', `${member}.jsonl`);
      if (lines > 0) await copyLines(join(from, name), join(folder, name), lines);
    }
    await this.#putWorkspaceBack(n, kept, interrupted);
    return { ...this.#at, house, id: this.#id, folder };
  }

  /** Transcript entries of each member that are durable once the first n log entries are. */
  #level(n: number): Map<string, number> {
    const level = new Map<string, number>();
    for (const entry of this.entries.slice(0, n)) {
      for (const [member, least] of this.#needed(entry)) {
        level.set(member, Math.max(level.get(member) ?? 0, least));
      }
    }
    return level;
  }

  /** What of a member's transcript is written before this log entry. The ids of its commands say where it stands. */
  #needed(entry: LogEntry): Map<string, number> {
    const needed = new Map<string, number>();
    let number = entry.first;
    let place = 0;
    for (const command of entry.commands) {
      const facts = entry.facts.slice(place, place + command.facts);
      place += command.facts;
      for (const fact of facts) {
        if (fact.type === 'turn.started') {
          const turn = number;
          needed.set(
            fact.member,
            this.#count(fact.member, (found) => turnOf(found.id) < turn),
          );
        }
        number++;
      }
      const [scope, member = '', key = '', turn = '', asked = ''] = command.id.split('/');
      if (scope !== 'turn') continue;
      // A call that a turn parked on has its result in a later turn: nothing of that is there yet.
      const soFar = this.#through(member, this.#turnAt(entry, member));
      needed.set(member, Math.min(soFar, this.#before(member, key, turn, asked)));
    }
    if (number !== nextNumber(entry)) throw new Error(`the commands of entry ${entry.first} do not add up`);
    return needed;
  }

  /** Entries of a member that stand before the command `turn/<member>/<key>/<turn>/<asked>`. */
  #before(member: string, key: string, turn: string, asked: string): number {
    const entries = this.transcripts.get(member) ?? [];
    const through = (index: number): number => (index === -1 ? this.#through(member, Number(turn)) : index);
    switch (key) {
      case 'recover':
        return entries.findIndex((entry) => entry.id === `${turn}-0`) + 1;
      case 'reserve': {
        const replies = entries.flatMap((entry, index) =>
          entry.kind === 'reply' && turnOf(entry.id) === Number(turn) ? [index] : [],
        );
        return through(replies[Number(asked) - 1] ?? -1);
      }
      case 'settle':
        return entries.findIndex((entry) => entry.id === turn) + 1;
      case 'end':
        return this.#through(member, Number(turn));
      default: {
        // A call's own command: what stands before its result. A call without one stands at the end of its turn.
        const result = entries.findIndex((entry) => entry.kind === 'result' && entry.place === key);
        return result === -1 ? this.#through(member, turnOf(key)) : result;
      }
    }
  }

  /** The turn that a member was in when an entry was written. */
  #turnAt(at: LogEntry, member: string): number {
    let turn = 0;
    for (const entry of this.entries) {
      if (entry.first > at.first) break;
      for (const [index, fact] of entry.facts.entries()) {
        if (fact.type === 'turn.started' && fact.member === member) turn = entry.first + index;
      }
    }
    return turn;
  }

  #through(member: string, turn: number): number {
    return this.#count(member, (entry) => turnOf(entry.id) <= turn);
  }

  #count(member: string, fits: (entry: TranscriptEntry) => boolean): number {
    return (this.transcripts.get(member) ?? []).filter(fits).length;
  }

  /** Files that were there at first, and what `fs_write_file` had done to them by then. */
  async #putWorkspaceBack(
    n: number,
    kept: ReadonlyMap<string, number>,
    interrupted: 'done' | 'undone',
  ): Promise<void> {
    const started = new Set(
      this.entries
        .slice(0, n)
        .flatMap(({ facts }) => facts)
        .flatMap((fact) => (fact.type === 'tool.started' ? [`${fact.member} ${fact.place}`] : [])),
    );
    const files = new Map(Object.entries(this.#files));
    for (const [member, entries] of this.transcripts) {
      const past = entries.slice(0, kept.get(member) ?? 0);
      const calls = entries.flatMap((entry) => (entry.kind === 'reply' ? entry.calls : []));
      for (const call of calls) {
        if (!started.has(`${member} ${call.place}`)) continue;
        const result = past.find((entry) => entry.kind === 'result' && entry.place === call.place);
        if (result === undefined && interrupted === 'undone') continue;
        if (this.#harmless.includes(call.tool)) continue;
        if (call.tool !== 'fs_write_file') throw new Error(`${call.tool}: its effect cannot be put back`);
        const { path, content } = call.arguments as { path: string; content: string };
        files.set(path, content);
      }
    }
    await rm(this.#at.workspace, { recursive: true, force: true });
    await mkdir(this.#at.workspace, { recursive: true });
    for (const [path, text] of files) {
      const target = join(this.#at.workspace, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  }
}

/** The first lines of a file, byte for byte. */
async function copyLines(from: string, to: string, lines: number): Promise<void> {
  const bytes = await readFile(from);
  let end = 0;
  for (let line = 0; line < lines; line++) {
    end = bytes.indexOf(10, end) + 1;
    if (end === 0) throw new Error(`${from} has fewer than ${lines} lines`);
  }
  await writeFile(to, bytes.subarray(0, end), { mode: 0o600 });
}
