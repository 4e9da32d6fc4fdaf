/**
 * The turns of a team that run in this process: what a job comes to, what a member is busy with, and their ends. Whoever
 * moves the team on hands the jobs in; every process that serves a team has one of these, and it heeds what the record
 * says of members whose turns it runs.
 */

import type { TurnJob } from '../../dispatch/job.js';
import type { Fact } from '../../events/event.js';
import type { TeamRecord } from '../../events/record.js';
import type { TranscriptEntry } from '../../events/transcript-entry.js';
import type { ModelMessage } from '../../models/model.js';
import type { Gates } from '../../models/pacing-gates.js';
import type { Clock } from '../../shared/clock.js';
import { BugError, CancelledError, errorText } from '../../shared/errors.js';
import type { ProcessGroups } from '../../shared/processes.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import type { TeamStore } from '../../state/team-store.js';
import type { Command } from '../../team/command.js';
import type { Delegated } from '../../tools/coordination/delegated.js';
import type { Standing } from '../standing/standing.js';
import { Activity, type MemberActivity } from './activity.js';
import { RunningTurns } from './running-turns.js';
import { StoppingMembers } from './stopping-members.js';
import { TurnGates } from './turn-gates.js';
import type { TurnHouse, TurnPace, TurnSeats } from './turn-house.js';
import { TurnRunner } from './turn-runner.js';

/** What the turns of a team need in the process that runs them. */
export interface TurnParts {
  /** Of the team. */
  readonly id: string;
  readonly workspace: string;
  readonly clock: Clock;
  readonly secrets: Redactor;
  readonly gates: Gates;
  readonly store: TeamStore;
  readonly record: TeamRecord;
  readonly groups: ProcessGroups;
  /** Where a recorded run is played again. */
  readonly pace?: TurnPace;
  readonly seats: TurnSeats;
  /** Texts of entries that stand in inputs, by SHA-256. */
  readonly inputTexts: ReadonlyMap<string, string>;
  /** Whether members may go on with what they were given. */
  readonly standing: Pick<Standing, 'holds'>;
  fileBytes(path: string, head: string | null): Promise<number | null>;
  /** What is told of delegated work; null where nobody delegates. */
  readonly briefs: Delegated | null;
  readonly lease?: TurnHouse['lease'];
  readonly runBy?: TurnHouse['runBy'];
  readonly denies?: TurnHouse['denies'];
}

export interface TurnListeners {
  readonly onTranscript: (member: string, entry: TranscriptEntry) => void;
  /** Given where somebody looks on: models show their answers while they write them only then. */
  readonly onFragment: ((member: string, fragment: string) => void) | undefined;
  /** Says the word of this process. */
  send(command: Command): Promise<unknown>;
  /** The team cannot go on here. */
  failed(error: unknown): void;
  /** Something went wrong beside the turns, which go on. */
  trouble(text: string): void;
}

export class TeamTurns {
  readonly #parts: TurnParts;
  readonly #listeners: TurnListeners;
  readonly #runner: TurnRunner;
  readonly #activity: Activity;
  readonly #gates: TurnGates;
  readonly #turns = new RunningTurns();
  readonly #stopping: StoppingMembers;
  /** Memories of stopped members that are made whole. */
  readonly #closings: Promise<unknown>[] = [];

  constructor(parts: TurnParts, listeners: TurnListeners) {
    this.#parts = parts;
    this.#listeners = listeners;
    this.#activity = new Activity(parts.clock);
    this.#gates = new TurnGates({ ...parts, team: parts.id });
    const { onFragment } = listeners;
    this.#runner = new TurnRunner({
      team: parts.id,
      store: parts.store,
      record: parts.record,
      workspace: parts.workspace,
      secrets: parts.secrets,
      seats: parts.seats,
      gate: (member) => this.#gates.of(member, parts.seats.model(member)),
      inputText: (digest) => this.#inputText(digest),
      mayGoOn: (member) => parts.standing.holds(member),
      fileBytes: parts.fileBytes,
      delegated: parts.briefs,
      onTranscript: listeners.onTranscript,
      ...(onFragment === undefined ? {} : { onFragment: (...heard) => this.#hears(onFragment, ...heard) }),
      busy: (member, what) => this.#activity.begins(member, what),
      ...(parts.pace === undefined ? {} : { pace: parts.pace }),
      ...(parts.lease === undefined ? {} : { lease: parts.lease }),
      ...(parts.runBy === undefined ? {} : { runBy: parts.runBy }),
      ...(parts.denies === undefined ? {} : { denies: parts.denies }),
    });
    this.#stopping = new StoppingMembers({
      turns: this.#turns,
      runner: this.#runner,
      groups: parts.groups,
      graceMs: () => parts.store.state.run?.grace_ms ?? 0,
      send: (command) => listeners.send(command),
      closing: (work) => this.#closing(work),
    });
  }

  /** Takes up what an earlier process has left: waits before providers, and memories that it may have died at. */
  go(): void {
    this.#gates.remember((member) => this.#parts.seats.model(member));
    for (const member of this.#parts.store.state.members.keys()) this.#makeWhole(member);
  }

  /** Runs a job; false when the state refused it. */
  async run(job: TurnJob, signal: AbortSignal): Promise<boolean> {
    const turn = this.#turns.begin(job, signal);
    try {
      const run = this.#runner.run(job.member, job.cause, turn);
      return await this.#turns.untilCut(job, run);
    } finally {
      this.#turns.ended(job);
    }
  }

  /** Heeds a fact that is durable, whoever said it. */
  react(fact: Fact): void {
    const { runBy } = this.#parts;
    if (fact.type === 'turn.started' && runBy !== undefined && fact.worker !== runBy.worker)
      this.#runner.forget(fact.member);
    if (fact.type === 'turn.lost') this.#runner.lost((turn) => turn === fact.turn);
    if (fact.type === 'run.resumed') this.#runner.lost((turn) => fact.kept?.includes(turn) !== true);
    if (fact.type === 'run.stopping') this.callOff(new CancelledError('stopped', 'the run is being stopped'));
    if (fact.type === 'run.killing') this.kill();
    if (fact.type === 'member.stopping') this.#stopping.stopping(fact);
    if (fact.type === 'member.stopped') {
      this.#stopping.stopped(fact.member);
      this.#gates.of(fact.member, this.#parts.seats.model(fact.member)).left();
      this.callOff(new CancelledError('stopped', 'the member was stopped'), fact.member);
      this.#makeWhole(fact.member);
    }
  }

  /** Calls off the turns of one member, or of all; they get their grace. */
  callOff(reason: CancelledError, of?: string): void {
    this.#turns.callOff(reason, of);
  }

  /** Kills what the tools have started here, and calls every turn off. */
  kill(): void {
    try {
      this.#parts.groups.killAll();
    } catch (error) {
      this.#listeners.trouble(errorText(error)); // The end comes all the same, and tries again.
    }
    this.callOff(new CancelledError('killed', 'the run is being killed'));
  }

  /** What each member does now, and for how long. */
  activity(): readonly MemberActivity[] {
    const { store } = this.#parts;
    return this.#activity.now(store.state, store.now());
  }

  /** What the scripts of the members still hold when the team is about to end well; each line says where. */
  async leftover(): Promise<readonly string[]> {
    const { run, members } = this.#parts.store.state;
    const lines: string[] = [];
    for (const { member, role } of run?.seats ?? []) {
      // A seat that was never filled has used nothing; one that somebody has stopped cannot use the rest, nor can one
      // that waited for its provider when the lead closed the team.
      const life = members.get(member)?.life.kind;
      if (life === 'stopped' || life === 'waiting') continue;
      const messages: readonly ModelMessage[] = await this.#runner.messages(member);
      lines.push(...this.#parts.seats.model(member).leftover(member, role, messages));
    }
    return lines;
  }

  /** Says nothing more of members that are to stop: the team has ended here. */
  close(): void {
    this.#stopping.close();
  }

  /** Resolves when the memories of stopped members are whole. */
  async closed(): Promise<void> {
    await Promise.all(this.#closings);
  }

  #inputText(digest: string): string {
    const text = this.#parts.inputTexts.get(digest);
    if (text === undefined) throw new BugError('no-text', `no text was prepared for ${digest}`);
    return text;
  }

  #hears(hear: NonNullable<TurnListeners['onFragment']>, member: string, fragment: string): void {
    this.#activity.hears(member, fragment);
    hear(member, fragment);
  }

  /** Closes the open calls of a member that was stopped; nothing for another. */
  #makeWhole(member: string): void {
    this.#closing(this.#runner.closeStopped(member));
  }

  #closing(work: Promise<unknown>): void {
    this.#closings.push(work.catch((error: unknown) => this.#listeners.failed(error)));
  }
}
