/**
 * The record folded, and the one way to change it: command → `decide` → facts → append → `evolve`
 * (architecture "One write path").
 *
 *  S1 a command's outcome is given only when its entry is durable;
 *  S2 listeners hear of every durable entry once, in the order of the log, another writer's included; one that
 *     throws is taken off, and costs nobody else anything;
 *  S3 decisions of one process may run ahead of the disk, since every later entry is durable after the earlier
 *     ones; when an append fails the store refuses everything from then on with the same error;
 *  S4 when somebody else wrote first, the log is folded again and the command is decided again. What ran ahead of
 *     the lost append is decided again with it; a log that tells writers apart by number alone takes one writer
 *     at a time (the lock), or one append at a time;
 *  S5 what is secret is taken out of a command before anything is decided, and out of facts before they are folded: the
 *     log and the state hold the same texts, digests are those of what is recorded (invariant 8).
 */

import type { Fact } from '../events/event.js';
import { type CommandMark, type LogEntry, nextNumber, RECORD_VERSION } from '../events/log-entry.js';
import type { EventLog } from '../events/record.js';
import { type Clock, isoStamp } from '../shared/clock.js';
import { FatalError } from '../shared/errors.js';
import { NO_SECRETS, type Redactor } from '../shared/secrets/redactor.js';
import type { Command } from '../team/command.js';
import { decide } from '../team/decide.js';
import { evolveEntry } from '../team/evolve.js';
import { emptyState, type TeamState } from '../team/state.js';
import { TeamClock } from './team-clock.js';

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

/** Wall clocks of a log, ISO 8601, for people: no decision reads them. */
export interface Walls {
  readonly first: string;
  readonly newest: string;
}

/** Those of a log; undefined of an empty one. */
export function wallsOf(entries: readonly LogEntry[]): Walls | undefined {
  const [first] = entries;
  const newest = entries.at(-1);
  return first === undefined || newest === undefined ? undefined : { first: first.wall, newest: newest.wall };
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
  readonly #listeners = new Set<Listening>();
  #state: TeamState;
  #walls: Walls | undefined;
  /** Number of the first fact that listeners have not heard of. */
  #untold: number;
  /** Durable entries that wait for an earlier one to be told. */
  readonly #early = new Map<number, LogEntry>();
  #refolding: Promise<void> | undefined;
  #inFlight = 0;
  /** Resolves when the next append has come to its end, whatever end. */
  #landed: { promise: Promise<void>; resolve: () => void } | undefined;
  #failure: Error | undefined;
  #pace: StorePace | undefined;

  private constructor(
    log: EventLog,
    clock: TeamClock,
    entries: readonly LogEntry[],
    state: TeamState,
    secrets: Redactor,
  ) {
    this.#log = log;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#state = state;
    this.#walls = wallsOf(entries);
    this.#untold = state.next;
  }

  /**
   * Folds the whole log and carries its time on.
   * @param secrets what must not be recorded; who knows of none leaves it out
   */
  static async open(log: EventLog, clock: Clock, secrets: Redactor = NO_SECRETS): Promise<TeamStore> {
    const entries = await log.read();
    const state = fold(entries);
    return new TeamStore(log, new TeamClock(clock, state.at), entries, state, secrets);
  }

  /** The state, decisions in flight included. Read it, never keep it across a wait. */
  get state(): TeamState {
    return this.#state;
  }

  /** When the first and the newest entry of the state were made; undefined before there is one. */
  get walls(): Walls | undefined {
    return this.#walls;
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
    while (this.#inFlight > 0 && this.#untold < next) {
      this.#landed ??= withResolver();
      await this.#landed.promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
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
    for (let conflicts = 0; conflicts <= CONFLICTS; conflicts++) {
      while (this.#refolding !== undefined) await this.#refolding; // The state holds facts that are in no log.
      if (this.#failure !== undefined) throw this.#failure;
      const repeated = this.#state.applied.has(id);
      const now = this.#clock.now();
      const decision = decide(this.#state, id, clean, now);
      const facts = this.#secrets.value(decision.kind === 'accepted' ? decision.facts : decision.evidence);
      const first = facts.length === 0 || repeated ? null : this.#state.next;
      const outcome: Outcome =
        decision.kind === 'accepted'
          ? { kind: 'accepted', facts, first }
          : { kind: 'refused', code: decision.code, message: decision.message };
      if (first === null) {
        if (repeated) await this.settled();
        return outcome;
      }
      const told = outcome.kind === 'refused' ? { code: outcome.code, message: outcome.message } : undefined;
      if (await this.#append(this.#entry({ id, facts: facts.length, refused: told }, facts, now)))
        return outcome;
    }
    throw new FatalError('log-contended', `another writer was first ${CONFLICTS} times in a row`);
  }

  #entry(command: CommandMark, facts: readonly Fact[], now: number): LogEntry {
    return {
      v: RECORD_VERSION,
      first: this.#state.next,
      at: now,
      wall: isoStamp(this.#clock.wallMs()),
      commands: [command],
      facts,
    };
  }

  /** True when the entry is in the log; false when the state was folded anew because somebody else wrote first. */
  async #append(entry: LogEntry): Promise<boolean> {
    evolveEntry(this.#state, entry);
    this.#walls = { first: this.#walls?.first ?? entry.wall, newest: entry.wall };
    this.#pace?.decided(entry);
    this.#inFlight++;
    try {
      const appended = await this.#log.append(entry);
      if (appended.kind === 'appended') {
        this.#durable(entry);
        return true;
      }
      this.#refolding ??= this.#refold().finally(() => {
        this.#refolding = undefined;
      });
      await this.#refolding;
      return false;
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new FatalError('log-failed', String(error));
      throw this.#failure;
    } finally {
      this.#inFlight--;
      this.#landed?.resolve();
      this.#landed = undefined;
    }
  }

  async #refold(): Promise<void> {
    const entries = await this.#log.read();
    this.#state = fold(entries);
    this.#walls = wallsOf(entries);
    this.#clock.notBefore(this.#state.at);
    for (const entry of entries) this.#durable(entry);
  }

  /** Tells an entry, and those that waited for it; one that was told before is not told again. */
  #durable(entry: LogEntry): void {
    if (entry.first < this.#untold) return;
    this.#early.set(entry.first, entry);
    for (let next = this.#early.get(this.#untold); next !== undefined; next = this.#early.get(this.#untold)) {
      this.#early.delete(next.first);
      this.#untold = nextNumber(next);
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

/** The state that a log gives. Used by the store, by `verify`, and by every view of a team that does not run. */
export function fold(entries: readonly LogEntry[]): TeamState {
  let state = emptyState();
  for (const entry of entries) state = evolveEntry(state, entry);
  return state;
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
