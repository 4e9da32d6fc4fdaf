/**
 * A team that this process runs: the wiring of store, dispatcher, coordinator and turns, and its end.
 *
 * Lifecycle: running → stopping (first word) → killing (second word) → ended. `ended` resolves when everything is
 * recorded and released: turns, processes, socket, files, lock. A record that cannot be written any more ends the
 * team here with the cause, and what was acknowledged stays (spec/team.md §7).
 */

import { InProcessDispatcher } from '../dispatch/in-process.js';
import type { TurnJob } from '../dispatch/job.js';
import type { Fact, FactOf } from '../events/event.js';
import type { FailureCause } from '../events/facts/run.js';
import { type GrowingRecord, growingFiles } from '../events/growing-record.js';
import type { LogEntry } from '../events/log-entry.js';
import type { TranscriptEntry } from '../events/transcript-entry.js';
import { CancelledError, CodedError, errorText } from '../shared/errors.js';
import { ulid } from '../shared/ids.js';
import { gentleLadder, KILL_LADDER } from '../shared/process-ending.js';
import { redactionNote } from '../shared/secrets/redactor.js';
import type { Outcome } from '../state/team-store.js';
import type { Command } from '../team/command.js';
import { sentText } from '../team/decide/mail.js';
import { stopText } from '../team/decide/stop.js';
import type { TeamState } from '../team/show/view.js';
import { Coordinator } from './coordinator.js';
import { type Ended, endedBy, unheardEnd, unrecordedEnd } from './ended.js';
import { type Answer, type Answered, answerCommand, BY_OPERATOR } from './operator-words.js';
import { regained } from './regained.js';
import type { TeamParts } from './team-parts.js';
import type { TurnQueue } from './turn-queue.js';
import type { MemberActivity } from './turns/activity.js';
import { SLACK_MS } from './turns/stopping-members.js';
import { TeamTurns } from './turns/team-turns.js';
import { watchUnheard } from './unheard-word.js';
import { Follower } from './workers/follower.js';
import { missingArtifacts, missingOfGate } from './workspace-files.js';

export interface TeamOptions {
  /** A terminal is there, and somebody at it may answer requests. */
  readonly operatorPresent: boolean;
  /** Every durable entry, the first included. Once it throws it hears no more; the team goes on. */
  readonly onEntry: (entry: LogEntry, team: LiveTeam) => void;
  /** Every durable transcript entry; the same holds. */
  readonly onTranscript?: (member: string, entry: TranscriptEntry) => void;
  /**
   * Every fragment of an answer as it comes, never stored; the same holds. Given where somebody looks on: models show
   * their answers while they write them only then.
   */
  readonly onFragment?: (member: string, fragment: string) => void;
  /** A line that people should know now and that is no part of the record; the same holds. */
  readonly onNote?: (text: string) => void;
}

export type { Ended } from './ended.js';

/** Beyond the grace, how long what has ended may take to be told to a server that may not answer, in milliseconds. */
const LEAVE_MS = 500;

export class LiveTeam {
  readonly id: string;
  readonly folder: string;
  readonly workspace: string;
  readonly ended: Promise<Ended>;
  readonly #parts: TeamParts;
  readonly #turns: TeamTurns;
  readonly #queue: TurnQueue;
  readonly #coordinator: Coordinator;
  /** What went wrong beside the run; told with its end. */
  readonly #troubles: string[] = [];
  #stopTimer: NodeJS.Timeout | undefined;
  readonly #follower: Follower;
  #unheardWord: (() => void) | undefined;
  #settle: (ended: Ended) => void = () => {};
  /** A person looks on from another process, as far as the last sweep knew. */
  #attended = false;
  #ending = false;
  #killed = false;

  /** Wires a team. Its listeners hear of every entry from here on; nothing moves before `go`. */
  constructor(parts: TeamParts, options: TeamOptions) {
    this.#parts = parts;
    this.id = parts.id;
    this.folder = parts.folder;
    this.workspace = parts.workspace;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const { onFragment, onTranscript = () => {} } = parts.queue === undefined ? options : {};
    this.#turns = new TeamTurns(parts, {
      onTranscript: this.#guarded(onTranscript),
      onFragment: onFragment === undefined ? undefined : this.#guarded(onFragment),
      send: (command) => this.#send(command),
      failed: (error) => this.#fail(error),
      trouble: (text) => this.#troubles.push(text),
    });
    this.#follower = new Follower(parts.store, (error) => this.#fail(error));
    const trouble = (text: string): void => {
      this.#troubles.push(text);
    };
    const beat = async (): Promise<void> => {
      await this.#askStanding();
      this.#coordinator.look(); // Whoever looked on from elsewhere may have gone.
    };
    const tell = this.#guarded(options.onNote ?? (() => {}));
    this.#queue =
      parts.queue?.({ failed: (error) => this.#fail(error), trouble, beat, tell }, this.#turns) ??
      this.#ownQueue(parts.concurrency);
    parts.store.onEntry(
      (entry) => options.onEntry(entry, this),
      (error) => this.#unheard(error),
    );
    parts.store.onEntry(
      (entry) => {
        for (const fact of entry.facts) this.#react(fact);
      },
      (error) => this.#fail(error),
    );
    this.#coordinator = new Coordinator({
      team: parts.id,
      store: parts.store,
      ask: (jobs) => this.#queue.ask(jobs),
      maySweep: async () => {
        this.#attended = (await this.#queue.isAttended?.()) === true;
        return true;
      },
      operatorPresent: () => options.operatorPresent || this.#attended,
      leftover: () => this.#turns.leftover(),
      missingArtifacts: () => missingArtifacts(this.state(), parts.fileBytes, parts.host),
      onFailure: (error) => this.#fail(error),
    });
    parts.lost.addEventListener('abort', () => this.#takenOver());
  }

  /** Begins to move the team. */
  go(): void {
    this.#turns.go();
    this.#queue.go();
    this.#coordinator.go();
    if (this.#parts.store.isShared) this.#follower.on();
    this.#parts.briefs?.go({
      failed: (error) => this.#fail(error),
      trouble: (text) => this.#troubles.push(text),
    });
    if (this.#parts.lost.aborted) this.#takenOver();
  }

  /** The state, decisions in flight included. Read it, never keep it across a wait. */
  state(): TeamState {
    return this.#parts.store.state;
  }

  /** Resolves when everything decided so far is on disk. */
  settled(): Promise<void> {
    return this.#parts.store.settled();
  }

  /** What each member does now, and each engineer, and for how long. */
  activity(): readonly MemberActivity[] {
    return [...this.#turns.activity(), ...(this.#parts.briefs?.working() ?? [])];
  }

  /** What is recorded of it, as it is recorded. */
  get lines(): GrowingRecord {
    return this.#parts.lines ?? growingFiles(this.folder);
  }

  /** Whether others run turns of it: what their members remember is heard of when a turn has ended. */
  get isShared(): boolean {
    return this.#parts.queue !== undefined;
  }

  /** The desk of its briefs; null where nobody delegates. */
  get briefs(): TeamParts['briefs'] {
    return this.#parts.briefs;
  }

  /** The operator's word on a request. */
  async answer(request: string, answer: Answer): Promise<Answered> {
    const missing = await missingOfGate(this.state(), request, this.#parts.fileBytes, this.#parts.host);
    const command = answerCommand(this.state(), request, answer, this.#parts.operator, missing);
    if (command.kind === 'refused') return command;
    return this.say(command.command, `${request}: ${command.word}`);
  }

  /** A message of the operator to a member or the lead. */
  async send(to: string, text: string): Promise<Answered> {
    const by = { kind: 'operator' as const, name: this.#parts.operator };
    const command: Command = { kind: 'mail.send', by, to, body: text, task: null };
    return this.say(command, (facts) => sentText(this.state(), facts));
  }

  /** Stops one member; forced: what its tools have started is killed at once. */
  async stopMember(member: string, { forced } = { forced: false }): Promise<Answered> {
    const by = { kind: 'operator' as const, name: this.#parts.operator };
    const command: Command = { kind: 'member.stop', by, member, reason: BY_OPERATOR, forced };
    return this.say(command, (facts) => stopText(member, facts));
  }

  /** The first word: no new turns; what runs gets its grace; everything is recorded. Saying it twice is fine. */
  async stop(cause: FactOf<'run.stopping'>['cause']): Promise<void> {
    if (this.#ending) {
      this.#leave();
      return;
    }
    this.#unheardWord ??= watchUnheard(this.#parts, (late) => {
      this.#killed ||= late;
      this.#leave();
      void this.#close(unheardEnd(this.state(), cause));
    });
    try {
      await this.#send({ kind: 'run.stop', by: this.#parts.operator, cause });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#coordinator.look();
  }

  /** Something went wrong beside the run; told with its end. */
  note(text: string): void {
    this.#troubles.push(text);
  }

  /** The team cannot go on: it ends with this error as its cause. */
  fail(error: Error): void {
    this.#fail(error);
  }

  /** The second word: process groups are killed at once. */
  kill(): void {
    this.#killed = true;
    this.#turns.kill(); // Now, and recorded as soon as that can be.
    this.#parts.killHere?.();
    if (this.#ending) return;
    this.#send({ kind: 'run.kill', by: this.#parts.operator })
      .then(() => this.#coordinator.look())
      .catch((error: unknown) => this.#fail(error));
  }

  /** Nothing here waits for a server that does not answer for longer than what runs gets to end. */
  #leave(): void {
    this.#parts.leaveWithin?.(this.#grace() + LEAVE_MS);
  }

  /** What tools get to end; after the second word nothing. */
  #grace(): number {
    return this.#killed ? 0 : (this.state().run?.grace_ms ?? 0);
  }

  #send(command: Command): Promise<Outcome> {
    return this.#parts.store.send(`operator/${ulid(this.#parts.clock.wallMs())}`, command);
  }

  /** The operator's word as a command. Never rejects: a team that takes no more words says so. */
  async say(command: Command, text: string | ((facts: readonly Fact[]) => string)): Promise<Answered> {
    const tooLate = {
      kind: 'refused' as const,
      code: 'ended',
      message: 'the team has ended in this process',
    };
    if (this.#ending) return tooLate;
    try {
      const outcome = await this.#send(command);
      if (outcome.kind === 'refused') return outcome;
      const said = typeof text === 'string' ? text : text(outcome.facts);
      return { kind: 'accepted', text: `${said}${redactionNote(this.#parts.secrets, command)}` };
    } catch (error) {
      if (this.#ending) return tooLate; // The record was closed while the word was on its way.
      this.#fail(error);
      return { kind: 'refused', code: 'failed', message: errorText(error) };
    }
  }

  /** Where others run the turns, what is approved is asked here, for all of them. */
  async #askStanding(): Promise<void> {
    for (const { name, life } of [...this.state().members.values()]) {
      if (this.#ending) return;
      if (life.kind !== 'stopped') await this.#parts.standing.holds(name);
    }
  }

  /** Turns run here, as many at once as the run allows. */
  #ownQueue(concurrency: number): TurnQueue {
    const dispatcher = new InProcessDispatcher<TurnJob>({
      concurrency,
      handler: (job, signal) => this.#job(job, signal),
      onError: (_job, error) => this.#fail(error),
    });
    return {
      go: () => {},
      ask: (jobs) => {
        for (const job of jobs) void dispatcher.enqueue(job);
      },
      close: (deadlineMs) => dispatcher.close(deadlineMs),
    };
  }

  async #job(job: TurnJob, signal: AbortSignal): Promise<void> {
    let ran = true;
    try {
      ran = await this.#turns.run(job, signal);
    } finally {
      this.#coordinator.jobEnded(job, ran);
    }
  }

  /** A listener of somebody else's: what it throws ends its hearing, not the team. */
  #guarded<Heard extends unknown[]>(hear: (...heard: Heard) => void): (...heard: Heard) => void {
    let hears = true;
    return (...heard) => {
      if (!hears) return;
      try {
        hear(...heard);
      } catch (error) {
        hears = false;
        this.#unheard(error);
      }
    };
  }

  #unheard(error: unknown): void {
    this.#troubles.push(`a listener of the team failed and heard no more: ${errorText(error)}`);
  }

  #react(fact: LogEntry['facts'][number]): void {
    this.#parts.briefs?.react(fact);
    this.#turns.react(fact);
    if (fact.type === 'run.stopping') {
      const grace = this.state().run?.grace_ms ?? 0;
      this.#stopTimer ??= setTimeout(() => this.kill(), grace + SLACK_MS);
    }
    if (fact.type === 'run.killing') this.#killed = true;
    if (fact.type === 'run.ended') {
      void this.#close(endedBy(fact, this.state().run ?? { seats: [] }));
    }
  }

  #takenOver(): void {
    const why: unknown = this.#parts.lost.reason;
    const lapsed = why instanceof CancelledError && why.code === 'lease-lost';
    const text = lapsed
      ? `the lease of the run is lost, and others may go on with it: ${why.message}`
      : 'another process has taken the team over';
    this.#fail(new CancelledError('taken-over', text));
  }

  /** The team cannot go on in this process. Recorded when the record still takes it; said in any case. */
  #fail(error: unknown): void {
    if (this.#ending) return;
    const full = error instanceof CodedError && error.code === 'disk-full';
    const cause = full ? 'disk_full' : 'error';
    const detail = errorText(error);
    if (this.#parts.store.failure === undefined && !this.#parts.lost.aborted) {
      this.#send({ kind: 'run.fail', cause, detail }).then(
        (outcome) => {
          if (outcome.kind === 'refused') this.#unrecorded(cause, detail);
        },
        () => this.#unrecorded(cause, detail),
      );
      return;
    }
    this.#unrecorded(cause, detail);
  }

  #unrecorded(cause: FailureCause, detail: string): void {
    void this.#close(unrecordedEnd(this.state(), cause, detail));
  }

  async #close(ended: Ended): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#coordinator.close();
    this.#follower.off();
    clearTimeout(this.#stopTimer);
    this.#unheardWord?.();
    this.#turns.close();
    const problems = this.#troubles;
    // Before anything is let go of: until it is whole nobody else may think that the team was put away.
    const loss = ended.recorded || this.#killed ? null : await regained(this.#parts, problems);
    const grace = this.#grace();
    const steps: (() => Promise<unknown>)[] = [
      () => this.#turns.closed(),
      () => this.#queue.close(grace + SLACK_MS),
      async () => this.#parts.briefs?.close(grace),
      () => this.#parts.groups.endAll(grace === 0 ? KILL_LADDER : gentleLadder(grace)),
      async () => this.#parts.briefs?.endLeft(),
      () => this.#parts.releases.run(),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        problems.push(errorText(error));
      }
    }
    // What failed beside the run or could not be released belongs to its end as much as the reason.
    const detail = [ended.detail, ...problems].filter(Boolean).join('; ') || null;
    this.#settle({ ...ended, detail, loss });
  }
}
