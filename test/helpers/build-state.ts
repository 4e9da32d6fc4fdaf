/**
 * A driver of the pure core: commands in, facts kept as log entries, no I/O.
 *
 * `Team` is the state folder's job in its plainest form: decide at `now`, append as one entry, evolve. Everything
 * it did stands in `entries`, so any state of the past can be folded again.
 */

import type { Fact, FactOf, FactType } from '../../src/events/event.js';
import type { TaskSpec } from '../../src/events/facts/frozen.js';
import { type CommandMark, type LogEntry, RECORD_VERSION } from '../../src/events/log-entry.js';
import type { KeyPair } from '../../src/shared/signature.js';
import { appliedOf } from '../../src/team/applied.js';
import type { Asker, Command, MissingArtifact } from '../../src/team/command.js';
import { decide } from '../../src/team/decide.js';
import type { Decision } from '../../src/team/decision.js';
import { evolveEntry, turnScope } from '../../src/team/evolve.js';
import { nextJobs } from '../../src/team/next-jobs.js';
import { signingPair, signWord } from '../../src/team/operator-word.js';
import { emptyState, type Member, type Task, type TeamState } from '../../src/team/state.js';
import { aCall, OPERATOR, type StartOptions, started, taskSpec } from './build-start.js';
import { same } from './same.js';

export { OPERATOR, type StartOptions, seat, started, taskSpec } from './build-start.js';

export interface TurnEnd {
  readonly outcome?: Extract<Command, { kind: 'turn.end' }>['outcome'];
  readonly text?: string | null;
  readonly calls?: number;
  readonly request?: string | null;
  /** The last reply was cut off by the cap on its length. */
  readonly cut?: boolean;
}

export type WaitCommand = Extract<Command, { kind: 'turn.wait' }>;

export interface Opening {
  readonly kind?: FactOf<'request.opened'>['kind'];
  readonly place?: string;
  readonly digest?: string;
  readonly plan?: string | null;
  readonly decided?: Extract<Command, { kind: 'request.open' }>['decided'];
  readonly class?: FactOf<'request.opened'>['class'];
  readonly arguments?: string;
  readonly always?: string | null;
  readonly operatorConfirms?: true;
}

/** A running team without a process: the pure core and the entries it gave. */
export class Team {
  state: TeamState = emptyState();
  readonly entries: LogEntry[] = [];
  /** The entries as they were written, one a line. */
  readonly #lines: string[] = [];
  /** Team time in milliseconds; tests move it on themselves. */
  now = 0;
  /** With which the operator signs, where the team is signed. */
  pairs: readonly KeyPair[] = [];
  #commands = 0;

  /** A started team. Tasks are those of the recipe. */
  static start(options: StartOptions & { readonly tasks?: readonly Partial<TaskSpec>[] } = {}): Team {
    const { tasks = [], ...rest } = options;
    const team = new Team();
    team.ok({ kind: 'run.start', started: started(rest), tasks: tasks.map(taskSpec), entries: [] });
    return team;
  }

  /** Decides a command at `now` and keeps what follows as one entry. The same id again gives the same answer. */
  do(command: Command, id: string = this.commandId(command)): Decision {
    const known = appliedOf(this.state, id) !== undefined;
    const pair = signingPair(this.state, command, this.pairs);
    const decision = decide(this.state, id, command, this.now, pair?.id);
    const facts = decision.kind === 'accepted' ? decision.facts : decision.evidence;
    const refused =
      decision.kind === 'refused' ? { code: decision.code, message: decision.message } : undefined;
    const signs = pair !== undefined && refused === undefined;
    const signed = signs ? signWord(this.state, id, this.state.next, facts, pair) : undefined;
    if (!known && facts.length > 0) this.#append({ id, facts: facts.length, refused, signed }, facts);
    return decision;
  }

  /** Does a command that must be accepted; gives its facts. */
  ok(command: Command, id?: string): readonly Fact[] {
    const decision = this.do(command, id);
    if (decision.kind === 'refused') {
      throw new Error(`${command.kind} was refused: ${decision.code}: ${decision.message}`);
    }
    return decision.facts;
  }

  /** Does a command that must be refused; gives `code: message`. */
  refusal(command: Command, id?: string): string {
    const decision = this.do(command, id);
    if (decision.kind === 'accepted') throw new Error(`${command.kind} was accepted`);
    return `${decision.code}: ${decision.message}`;
  }

  /** Starts a turn of a member that must be due; gives the turn's number. */
  turn(member: string): number {
    const facts = this.ok({ kind: 'turn.start', member, cause: 0 });
    if (facts[0]?.type !== 'turn.started') throw new Error(`no turn of ${member} has started`);
    return this.in(member).turn;
  }

  /** Starts a turn whose first input, with all unread mail, the model has answered. */
  awake(member: string): number {
    const turn = this.turn(member);
    this.read(member);
    return turn;
  }

  /** The model answers an input that holds these messages, all unread mail unless said otherwise; gives their ids. */
  read(member: string, messages: readonly string[] = this.member(member).unread): readonly string[] {
    this.ok({ kind: 'budget.reserve', ...aCall(100), ...this.in(member) });
    this.ok({
      kind: 'reply.settle',
      model: 'script/test.yaml',
      inputTokens: 80,
      cachedTokens: 0,
      outputTokens: 20,
      costUsd: 0,
      delivered: [...messages],
      suppressed: [],
      ...this.in(member),
    });
    return messages;
  }

  /** Ends the member's turn: finished, with a text and no call, unless said otherwise. */
  end(member: string, how: TurnEnd = {}): readonly Fact[] {
    return this.ok(this.ending(member, how));
  }

  /** The command that `end` does. */
  ending(member: string, how: TurnEnd = {}): Command {
    const { outcome = 'finished', text = 'that is all', calls = 0, request = null, cut = false } = how;
    const at = this.in(member);
    return {
      kind: 'turn.end',
      outcome,
      request,
      upto: `${at.turn}-1`,
      text,
      calls,
      cut,
      detail: null,
      ...at,
    };
  }

  /** The command that divides the member's turn: its call was refused with 429 for 10 s, unless said otherwise. */
  waiting(member: string, how: Partial<WaitCommand> = {}): WaitCommand {
    const at = this.in(member);
    return {
      kind: 'turn.wait',
      why: 'rate_limited',
      provider: 'anthropic',
      waitMs: 10_000,
      asked: true,
      upto: `${at.turn}-1`,
      text: null,
      calls: 0,
      detail: 'too many requests',
      ...at,
      ...how,
    };
  }

  /** A call of the member is reserved and refused; gives the team time at which it may ask again. */
  waits(member: string, how: Partial<WaitCommand> = {}): number {
    if (how.asked !== false) this.ok({ kind: 'budget.reserve', ...aCall(100), ...this.in(member) });
    this.ok(this.waiting(member, how));
    const { life } = this.member(member);
    if (life.kind !== 'waiting') throw new Error(`${member} does not wait: ${life.kind}`);
    return life.until;
  }

  /** A whole turn in which the member reads its mail and says something. */
  idles(member: string, how: TurnEnd = {}): readonly Fact[] {
    this.awake(member);
    return this.end(member, how);
  }

  /** Opens a request in the member's turn; gives its id. A confirmation of `git push` unless said otherwise. */
  request(member: string, how: Opening = {}): string {
    const before = this.state.requests.size;
    this.ok(this.opening(member, how));
    return `r${before + 1}`;
  }

  /** The command that `request` does. */
  opening(member: string, how: Opening = {}): Command {
    const at = this.in(member);
    const { kind = 'confirmation', place = `${at.turn}-1.0`, plan = null, decided = null } = how;
    return {
      kind: 'request.open',
      opened: {
        kind,
        place,
        digest: how.digest ?? `digest of ${place}`,
        tool: kind === 'confirmation' ? 'shell_exec' : kind === 'plan' ? 'team_plan_submit' : 'ask_question',
        class: how.class ?? (kind === 'confirmation' ? 'write' : null),
        arguments: how.arguments ?? '{}',
        summary: 'git push',
        context: null,
        policy: 'confirmation needed',
        always: how.always ?? null,
        task: null,
      },
      ...(how.operatorConfirms === true ? { operatorConfirms: true } : {}),
      plan,
      decided,
      ...at,
    };
  }

  /** Opens a request and parks on it; gives its id. */
  park(member: string, how: Opening = {}): string {
    const request = this.request(member, how);
    this.end(member, { outcome: 'parked', request, calls: 1 });
    return request;
  }

  /** Claims a task in the member's turn; gives the attempt. */
  claim(member: string, task: string): number {
    this.ok({ kind: 'task.claim', task, ...this.in(member) });
    return this.task(task).attempts;
  }

  /** The command that reports a task done, with evidence for each item that asks for it. */
  completion(
    member: string,
    task: string,
    options: Partial<Extract<Command, { kind: 'task.complete' }>> = {},
  ): Extract<Command, { kind: 'task.complete' }> {
    const { attempts, spec } = this.task(task);
    return {
      kind: 'task.complete',
      task,
      attempt: attempts,
      summary: `${task} is done`,
      evidence: spec.acceptance.map((item) => ({ item, text: 'seen' })),
      artifacts: [...spec.artifacts],
      missingArtifacts: [],
      artifactBytes: 0,
      addBlocks: [],
      ...this.in(member),
      ...options,
    };
  }

  /** The verdict of a member on the report that is in review: approval unless said otherwise. */
  verdict(
    member: string,
    task: string,
    options: Partial<Extract<Command, { kind: 'task.review' }>> = {},
  ): Extract<Command, { kind: 'task.review' }> {
    const { state, attempts } = this.task(task);
    return {
      kind: 'task.review',
      task,
      attempt: attempts,
      verdict: 'approve',
      findings: '',
      evidenceDigest: state.kind === 'in_review' ? state.evidenceDigest : 'none',
      newFindings: [],
      missingArtifacts: [],
      ...this.in(member),
      ...options,
    };
  }

  /** A change of a task by the lead in its live turn, or by the operator when the lead has none. */
  update(
    task: string,
    options: Partial<Extract<Command, { kind: 'task.update' }>> = {},
  ): Extract<Command, { kind: 'task.update' }> {
    return {
      kind: 'task.update',
      by: OPERATOR,
      task,
      subject: null,
      description: null,
      role: null,
      addBlockedBy: [],
      removeBlockedBy: [],
      addBlocks: [],
      status: null,
      detail: 'because',
      ...options,
    };
  }

  /** Looks at the whole team once; nobody is at the terminal unless said otherwise. */
  sweep(operatorPresent = false, missingArtifacts: readonly MissingArtifact[] = []): readonly Fact[] {
    return this.ok({ kind: 'run.sweep', operatorPresent, missingArtifacts });
  }

  /** Sends mail from a member's live turn, or from the operator. */
  mail(from: string, to: string, body = 'hello'): Decision {
    const by = from === 'operator' ? OPERATOR : this.by(from);
    return this.do({ kind: 'mail.send', by, to, body, task: null });
  }

  /** A crash and the next process: what was live is lost, the record is not. */
  resume(): readonly Fact[] {
    this.state = this.refold();
    return this.ok({ kind: 'run.resume', host: 'host', disabled: [], findings: [] });
  }

  /** The fold of the kept entries from nothing, through JSON as from a disk. */
  refold(): TeamState {
    return this.kept().reduce(evolveEntry, emptyState());
  }

  /** The entries from a place on, read again from what was written. */
  kept(from = 0): LogEntry[] {
    return this.#lines.slice(from).map((line) => JSON.parse(line) as LogEntry);
  }

  /** A member's name and live turn, as commands carry them. */
  in(member: string): { readonly member: string; readonly turn: number } {
    const { life } = this.member(member);
    if (life.kind !== 'working') throw new Error(`${member} has no turn: ${life.kind}`);
    return { member, turn: life.turn };
  }

  by(member: string): Asker {
    return { kind: 'member', ...this.in(member) };
  }

  member(name: string): Member {
    const member = this.state.members.get(name);
    if (member === undefined) throw new Error(`no member ${name}`);
    return member;
  }

  task(id: string): Task {
    const task = this.state.tasks.get(id);
    if (task === undefined) throw new Error(`no task ${id}`);
    return task;
  }

  /** Who should have a turn now. */
  due(): string[] {
    return nextJobs(this.state, this.now).map((job) => job.member);
  }

  /** Every fact of a type that the record holds, in order. */
  facts<Type extends FactType>(type: Type): FactOf<Type>[] {
    return this.entries
      .flatMap((entry) => entry.facts)
      .filter((fact): fact is FactOf<Type> => fact.type === type);
  }

  /** Bodies of a member's unread mail, oldest first. */
  inbox(member: string): string[] {
    return this.member(member).unread.map((id) => this.state.messages.get(id)?.body ?? '');
  }

  commandId(command: Command): string {
    this.#commands++;
    const scope = 'turn' in command ? turnScope(command.member) : `${command.kind}/`;
    return `${scope}${this.#commands}`;
  }

  #append(command: CommandMark, facts: readonly Fact[]): void {
    const entry: LogEntry = {
      v: RECORD_VERSION,
      first: this.state.next,
      at: this.now,
      wall: '2026-01-01T00:00:00.000Z',
      commands: [command],
      facts,
    };
    this.entries.push(entry);
    this.#lines.push(JSON.stringify(entry));
    evolveEntry(this.state, entry);
  }
}

/** Whether two states are equal in everything, the order of their maps and sets included. */
export function sameState(one: TeamState, other: TeamState): boolean {
  return same(one, other);
}

/** A state, or a part of one, as text in which maps and sets are lists: what is compared, and what a failure shows. */
export function picture(state: unknown): string {
  return JSON.stringify(state, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}
