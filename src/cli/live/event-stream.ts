/**
 * The stream of `--json-events`: facts, and transcript entries when asked for, in the order they were recorded
 * (spec/team.md §8).
 *
 *  E1 it follows the record: what it is told is only how far that is durable. So a slow reader costs no memory and
 *     never waits in the way of the team, and no fact is ever left out;
 *  E2 `seq` is given when a line is written: no gap, no repeat;
 *  E3 a closed pipe, and a record that cannot be read, end the stream and nothing else.
 */

import { z } from 'zod';
import type { GrowingRecord } from '../../events/growing-record.js';
import type { Lines } from '../../events/line-follower.js';
import { type LogEntry, nextNumber } from '../../events/log-entry.js';
import { checkEnvelope } from '../../events/log-envelope.js';
import { transcriptEntry, turnOf } from '../../events/transcript-entry.js';
import { errorText, FatalError } from '../../shared/errors.js';
import { jsonLine } from '../../shared/jsonl.js';
import { plainJson } from '../../shared/terminal-text.js';
import type { Sink } from '../output.js';
import { factLine, type LinePlace, transcriptLine } from './event-line.js';

export interface EventStreamParts {
  readonly sink: Sink;
  readonly team: string;
  readonly lines: GrowingRecord;
  /** Number of the first fact that is told; what was recorded before it is not. */
  readonly from: number;
}

/** How far the record is durable and has to be told. */
interface Goal {
  /** The record is another from here on: it is read anew, and told from this number on at the latest. */
  readonly anew?: { readonly lines: GrowingRecord; readonly from: number };
  /** The number after the last fact. */
  next: number;
  /** Id of the last transcript entry and when it was recorded, by member. */
  readonly memory: Map<string, { readonly id: string; readonly at: string }>;
}

/** Goals kept apart keep the order between transcripts and facts; a reader this far behind gets them merged. */
const MAX_GOALS = 10_000;

export class EventStream {
  readonly #parts: EventStreamParts;
  #lines: GrowingRecord;
  #from: number;
  #log: Lines;
  readonly #memories = new Map<string, Lines>();
  readonly #goals: Goal[] = [];
  #told: number;
  #seq = 0;
  #pump: Promise<void> | undefined;
  #problem: string | null = null;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#told = parts.from;
    this.#from = parts.from;
    this.#lines = parts.lines;
    this.#log = parts.lines.log();
  }

  /** Why the stream ended early although its reader is there; null when it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  /** A log entry is durable. */
  entry(entry: LogEntry): void {
    const last = this.#goals.at(-1);
    if (last !== undefined && (last.memory.size === 0 || this.#goals.length >= MAX_GOALS)) {
      last.next = nextNumber(entry);
    } else {
      this.#goals.push({ next: nextNumber(entry), memory: new Map() });
    }
    this.#start();
  }

  /** A transcript entry of a member is durable. */
  transcript(member: string, id: string, at: string): void {
    const last = this.#goals.at(-1);
    if (last !== undefined && this.#goals.length >= MAX_GOALS) last.memory.set(member, { id, at });
    else this.#goals.push({ next: 0, memory: new Map([[member, { id, at }]]) });
    this.#start();
  }

  /**
   * The record was made whole after a loss. What it does not hold any more was told and stays told; what it holds that was
   * not told yet is, and of what was told nothing is told again.
   * @param from number of its first fact that is new
   */
  anew(lines: GrowingRecord, from: number): void {
    this.#goals.push({ anew: { lines, from }, next: 0, memory: new Map() });
    this.#start();
  }

  /** A line that stands in no record: the end of a run whose record could not take it. */
  async last(line: (place: Omit<LinePlace, 'at'>) => object): Promise<void> {
    await this.#pump;
    this.#seq += 1;
    this.#parts.sink.write(plainJson(jsonLine(line({ seq: this.#seq, team: this.#parts.team }))));
  }

  /** Resolves when everything is told and has left the process, or the stream has ended. */
  async end(): Promise<void> {
    await this.#pump;
    await this.#parts.sink.flushed();
    await this.#closeAll();
  }

  #start(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
    });
  }

  async #run(): Promise<void> {
    // Begins behind the caller, who may be about to say more.
    await null;
    try {
      for (let goal = this.#goals.shift(); goal !== undefined; goal = this.#goals.shift()) {
        if (goal.anew !== undefined) await this.#readAnew(goal.anew);
        if (this.#problem !== null || this.#parts.sink.failure !== null) continue;
        for (const [member, { id, at }] of goal.memory) await this.#tellMemory(member, id, at);
        if (goal.next > this.#told) await this.#tellFacts(goal.next);
      }
    } catch (error) {
      this.#problem = errorText(error);
      // What was lost is not to be had; a record that is whole again is.
      const next = this.#goals.findIndex(({ anew }) => anew !== undefined);
      this.#goals.splice(0, next === -1 ? this.#goals.length : next);
      if (next !== -1) return this.#run();
    }
  }

  async #readAnew({ lines, from }: NonNullable<Goal['anew']>): Promise<void> {
    await this.#closeAll();
    this.#memories.clear();
    this.#lines = lines;
    this.#log = lines.log();
    this.#from = from;
    this.#told = Math.min(this.#told, from);
    this.#problem = null;
  }

  async #closeAll(): Promise<void> {
    await Promise.all([this.#log, ...this.#memories.values()].map((follower) => follower.close()));
  }

  async #tellFacts(next: number): Promise<void> {
    const { team } = this.#parts;
    while (this.#told < next && this.#parts.sink.failure === null) {
      const check = checkEnvelope(await this.#line(this.#log));
      if (check.kind === 'refused') throw new FatalError(check.code, `a line of the log ${check.reason}`);
      const { first, wall, facts } = check.entry;
      for (const [place, fact] of facts.entries()) {
        if (first + place < this.#told) continue;
        await this.#write((seq) => factLine({ seq, at: wall, team }, first + place, fact));
      }
      this.#told = Math.max(this.#told, first + check.stored);
    }
  }

  async #tellMemory(member: string, last: string, at: string): Promise<void> {
    const { team } = this.#parts;
    const follower = this.#memories.get(member) ?? this.#lines.transcript(member);
    this.#memories.set(member, follower);
    for (let id = ''; id !== last && this.#parts.sink.failure === null; ) {
      const stored = await this.#line(follower);
      id = z.object({ id: z.string() }).parse(stored).id;
      // Turns before the stream began are history.
      if (turnOf(id) < this.#from) continue;
      const entry = transcriptEntry.parse(stored);
      await this.#write((seq) => transcriptLine({ seq, at, team }, member, entry));
    }
  }

  /** A line that is known to be there. */
  async #line(follower: Lines): Promise<unknown> {
    const line = await follower.next();
    if (line === undefined) throw new FatalError('record-short', 'the record is shorter than it was');
    return JSON.parse(line);
  }

  async #write(line: (seq: number) => object): Promise<void> {
    await this.#parts.sink.drained();
    this.#seq += 1;
    this.#parts.sink.write(plainJson(jsonLine(line(this.#seq))));
  }
}
