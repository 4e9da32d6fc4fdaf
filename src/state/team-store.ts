/**
 * The record folded, and the one way to change it: command → `decide` → facts → append → `evolve`
 * (architecture "One write path").
 *
 *  S1 a command's outcome is given only when its entry is durable;
 *  S2 listeners hear of every durable entry once, in the order of the log, another writer's included; one that
 *     throws is taken off, and costs nobody else anything;
 *  S3 decisions of one process may run ahead of the disk, since every later entry is durable after the earlier
 *     ones; when an append fails the store refuses everything from then on with the same error;
 *  S4 when somebody else wrote first, what is new is folded and the command is decided again; what ran ahead of the lost
 *     append is decided again with it. Where others write the log as well, what is durable is kept apart from what runs
 *     ahead (`durable-state.ts`), so that a conflict costs the newest entries, never the whole log; and no wish is refused before the
 *     store has looked whether the others have changed what it is refused by;
 *  S5 what is secret is taken out of a command before anything is decided, and out of facts before they are folded: the
 *     log and the state hold the same texts, digests are those of what is recorded (invariant 8).
 */

import type { Fact } from '../events/event.js';
import { type CommandMark, type LogEntry, nextNumber, RECORD_VERSION } from '../events/log-entry.js';
import type { AppendOutcome, EventLog } from '../events/record.js';
import { type Clock, isoStamp } from '../shared/clock.js';
import { FatalError } from '../shared/errors.js';
import { NO_SECRETS, type Redactor } from '../shared/secrets/redactor.js';
import type { KeyPair } from '../shared/signature.js';
import { appliedOf } from '../team/applied.js';
import type { Command } from '../team/command.js';
import { decide } from '../team/decide.js';
import { evolveEntry } from '../team/evolve.js';
import { signingPair, signWord } from '../team/operator-word.js';
import { emptyState, type TeamState } from '../team/state.js';
import { DurableState } from './durable-state.js';
import { foldLog, foldRead } from './fold-log.js';
import { withOneCopy } from './one-copy.js';
import { TeamClock } from './team-clock.js';
import { type Walls, wallsAfter, wallsOf } from './walls.js';

export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly facts: readonly Fact[];
      /** Number of the first fact; null when nothing was written: no facts, or the command was applied before. */
      readonly first: number | null;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Where a recorded run is played again: when each command may be decided. */
export interface StorePace {
  /** Resolves when the command may be decided; undefined: at once. */
  before(id: string): Promise<void> | undefined;
  /** Hears of every entry in the moment of its decision, before it is durable. */
  decided(entry: LogEntry): void;
}

export type EntryListener = (entry: LogEntry) => void;

interface Listening {
  readonly hear: EntryListener;
  readonly threw: (error: unknown) => void;
}

/** Re-reads before a writer that always loses gives up; each costs a read of the log. */
const CONFLICTS = 100;

export class TeamStore {
  readonly #log: EventLog;
  readonly #clock: TeamClock;
  readonly #secrets: Redactor;
  readonly #pairs: readonly KeyPair[];
  readonly #listeners = new Set<Listening>();
  /** Decisions in flight included. */
  #state: TeamState;
  /** What the durable entries give; undefined where nobody else writes, so that nothing in flight is ever lost. */
  readonly #durable: DurableState | undefined;
  #walls: Walls | undefined;
  /** Number of the first fact that listeners have not heard of. */
  #untold: number;
  /** Durable entries that wait for an earlier one to be told. */
  readonly #early = new Map<number, LogEntry>();
  /** The log is being read; until it is, nothing is decided. True when there was something new. */
  #reading: Promise<boolean> | undefined;
  /** How often what ran ahead was lost to somebody who wrote first. */
  #losses = 0;
  /** A reading that has not begun: who wants to know what is there now joins it. */
  #nextReading: Promise<boolean> | undefined;
  #inFlight = 0;
  /** Resolves when the next append has come to its end, whatever end. */
  #landed: { promise: Promise<void>; resolve: () => void } | undefined;
  #failure: Error | undefined;
  #pace: StorePace | undefined;

  private constructor(
    log: EventLog,
    clock: TeamClock,
    walls: Walls | undefined,
    state: TeamState,
    secrets: Redactor,
    pairs: readonly KeyPair[],
  ) {
    this.#log = log;
    this.#pairs = pairs;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#state = state;
    this.#durable = log.writers === 'many' ? new DurableState() : undefined;
    this.#walls = walls;
    this.#untold = state.next;
  }

  /**
   * Folds the log, from its snapshot on where there is one, and carries its time on. Who had far to fold keeps a snapshot.
   * @param secrets what must not be recorded; who knows of none leaves it out
   * @param time whether other processes have run the team since its newest entry: then that time counts as well, by the
   *   wall clock, which must be one that all of them share
   * @param pairs those of the operator who speaks through this store, asked for where they may be needed; absent: nobody does
   */
  static async open(
    log: EventLog,
    clock: Clock,
    secrets: Redactor = NO_SECRETS,
    time: 'stood still' | 'went on' = 'stood still',
    pairs: () => Promise<readonly KeyPair[]> = async () => [],
  ): Promise<TeamStore> {
    const { state, walls } = await foldLog(log);
    const signs = state.run === null || state.run.signature !== null ? await pairs() : [];
    // A run that has ended had no time since, whoever was there.
    const stood = time === 'stood still' || state.phase.kind === 'ended';
    const since = stood || walls === undefined ? 0 : clock.wallMs() - Date.parse(walls.newest);
    const carried = new TeamClock(clock, state.at + Math.max(0, since));
    return new TeamStore(log, carried, walls, state, secrets, signs);
  }

  /** The state, decisions in flight included. Read it, never keep it across a wait. */
  get state(): TeamState {
    return this.#state;
  }

  /** When the first and the newest entry of the state were made; undefined before there is one. */
  get walls(): Walls | undefined {
    return this.#walls;
  }

  /** Whether other processes may write the log as well. */
  get isShared(): boolean {
    return this.#durable !== undefined;
  }

  /** Team time in milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** Why nothing can be written any more, when that is so. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Calls back for every entry from now on, once it is durable; returns the way to stop that.
   * @param threw hears of what the listener threw; must not throw
   */
  onEntry(hear: EntryListener, threw: (error: unknown) => void): () => void {
    const listening = { hear, threw };
    this.#listeners.add(listening);
    return () => this.#listeners.delete(listening);
  }

  /** Commands are decided in the order that a recorded run gives. */
  pacedBy(pace: StorePace): void {
    this.#pace = pace;
  }

  /** Resolves when everything decided so far is durable; rejects when it never will be. */
  async settled(): Promise<void> {
    const { next } = this.#state;
    for (;;) {
      if (this.#reading !== undefined) await this.#reading;
      else if (this.#inFlight > 0 && this.#untold < next) await this.#nextLanding();
      else break;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Nobody works at the team here for now: lets go of what only work needs. */
  rest(): void {
    if (!this.#runsAhead) this.#durable?.rest();
  }

  /** Whether something was decided that is not durable, or not known to be. */
  get #runsAhead(): boolean {
    return this.#state.next !== this.#untold;
  }

  /**
   * Takes in what others have written since; costs nothing where nobody else writes.
   * @returns whether there was something
   * @throws FatalError when the log cannot be read (`log-lost`, `log-gone`, `record-unreachable`)
   */
  async catchUp(): Promise<boolean> {
    return this.#durable === undefined ? false : this.#readFromNow();
  }

  /**
   * Decides a command and makes it durable.
   * @param id idempotency key: the same id has its effect once and gives the same facts again
   * @throws FatalError when the record cannot be written (`disk-full`, `log-failed`)
   */
  async send(id: string, command: Command): Promise<Outcome> {
    const clean = this.#secrets.value(command);
    const held = this.#pace?.before(id);
    if (held !== undefined) await held;
    let upToDate = this.#durable === undefined;
    for (let conflicts = 0; conflicts <= CONFLICTS; conflicts++) {
      while (this.#reading !== undefined) await this.#reading; // The state holds facts that are in no log.
      if (this.#failure !== undefined) throw this.#failure;
      const repeated = appliedOf(this.#state, id) !== undefined;
      const now = this.#clock.now();
      const pair = signingPair(this.#state, clean, this.#pairs);
      const decision = decide(this.#state, id, clean, now, pair?.id);
      const facts = this.#secrets.value(decision.kind === 'accepted' ? decision.facts : decision.evidence);
      if (!upToDate && !repeated && (facts.length === 0 || decision.kind === 'refused')) {
        upToDate = true;
        await this.catchUp();
        continue; // Even without news: others of this process have decided meanwhile.
      }
      const first = facts.length === 0 || repeated ? null : this.#state.next;
      const outcome: Outcome =
        decision.kind === 'accepted'
          ? { kind: 'accepted', facts, first }
          : { kind: 'refused', code: decision.code, message: decision.message };
      if (first === null) {
        const losses = this.#losses;
        if (repeated) await this.settled();
        if (losses === this.#losses) return outcome;
        continue; // What it repeats was lost on its way.
      }
      const told = outcome.kind === 'refused' ? { code: outcome.code, message: outcome.message } : undefined;
      const byOperator = told === undefined && pair !== undefined;
      const signed = byOperator ? signWord(this.#state, id, first, facts, pair) : undefined;
      const mark = { id, facts: facts.length, refused: told, signed };
      if (await this.#append(this.#entry(mark, facts, now))) return outcome;
    }
    throw new FatalError('log-contended', `another writer was first ${CONFLICTS} times in a row`);
  }

  #entry(command: CommandMark, facts: readonly Fact[], now: number): LogEntry {
    const { next, run } = this.#state;
    const wall = isoStamp(this.#clock.wallMs());
    return withOneCopy({ v: RECORD_VERSION, first: next, at: now, wall, commands: [command], facts }, run);
  }

  /** True when the entry is in the log; false when the state was folded anew because somebody else wrote first. */
  async #append(entry: LogEntry): Promise<boolean> {
    this.#durable?.before(this.#state);
    evolveEntry(this.#state, entry);
    this.#walls = { first: this.#walls?.first ?? entry.wall, newest: entry.wall };
    this.#pace?.decided(entry);
    const outcome = await this.#written(entry);
    if (outcome.kind === 'appended') return true;
    await (this.#reading ?? this.#begin());
    return false;
  }

  /** An append to its end; from here on it is in flight no more. */
  async #written(entry: LogEntry): Promise<AppendOutcome> {
    this.#inFlight++;
    try {
      const outcome = await this.#log.append(entry);
      if (outcome.kind === 'appended') this.#isDurable(entry);
      // Before anybody else can decide: what this entry has changed never was.
      else if (this.#reading === undefined) void this.#begin();
      return outcome;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#inFlight--;
      this.#landed?.resolve();
      this.#landed = undefined;
    }
  }

  #nextLanding(): Promise<void> {
    this.#landed ??= withResolver();
    return this.#landed.promise;
  }

  #failed(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new FatalError('log-failed', String(error));
    return this.#failure;
  }

  /** A reading that begins from now on: one that is under way may have looked too early. */
  #readFromNow(): Promise<boolean> {
    if (this.#reading === undefined) return this.#begin();
    this.#nextReading ??= this.#reading
      .catch(() => false) // That is the next one's to say.
      .then(() => {
        this.#nextReading = undefined;
        return this.#reading ?? this.#begin();
      });
    return this.#nextReading;
  }

  /** A reading that may be waited for by several, or by nobody. */
  #begin(): Promise<boolean> {
    const reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    reading.catch(() => {}); // It is told by `#failure` as well.
    this.#reading = reading;
    return reading;
  }

  /** Reads what is new in the log, once what is in flight has come to its end. */
  async #read(): Promise<boolean> {
    try {
      while (this.#inFlight > 0) await this.#nextLanding();
      if (this.#failure !== undefined) throw this.#failure;
      return this.#durable === undefined ? await this.#readAll() : await this.#readTail(this.#durable);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #readAll(): Promise<boolean> {
    const entries = await this.#log.read();
    this.#losses++;
    this.#state = fold(entries);
    this.#walls = wallsOf(entries);
    this.#clock.notBefore(this.#state.at);
    for (const entry of entries) this.#isDurable(entry);
    return true;
  }

  async #readTail(durable: DurableState): Promise<boolean> {
    const ahead = this.#runsAhead;
    const read = await this.#log.read(this.#untold);
    if (ahead) {
      this.#losses++;
      this.#state = durable.back();
    }
    const tail = read.map((entry) => foldRead(this.#state, entry));
    this.#walls = wallsAfter(this.#walls, tail);
    this.#clock.notBefore(this.#state.at);
    for (const entry of tail) this.#isDurable(entry);
    return tail.length > 0 || ahead;
  }

  /** Tells an entry, and those that waited for it; one that was told before is not told again. */
  #isDurable(entry: LogEntry): void {
    if (entry.first < this.#untold) return;
    this.#early.set(entry.first, entry);
    for (let next = this.#early.get(this.#untold); next !== undefined; next = this.#early.get(this.#untold)) {
      this.#early.delete(next.first);
      this.#untold = nextNumber(next);
      this.#durable?.add(next, this.#state, this.#runsAhead);
      this.#tell(next);
    }
  }

  #tell(entry: LogEntry): void {
    for (const listening of this.#listeners) {
      try {
        listening.hear(entry);
      } catch (error) {
        this.#listeners.delete(listening);
        listening.threw(error);
      }
    }
  }
}

/**
 * The state that a log gives. Used by the store, by `verify`, and by every view of a team that does not run.
 * @throws FatalError `record-forged`
 */
export function fold(entries: readonly LogEntry[]): TeamState {
  const state = emptyState();
  for (const entry of entries) foldRead(state, entry);
  return state;
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
