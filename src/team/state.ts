/**
 * The state of a team: the fold of its facts (spec/engine.md §1).
 *
 * The types are readonly for every reader. `evolve` alone writes to them, in place: copying the state for each
 * fact would make a fold quadratic. Whoever needs an older state folds again.
 */

import type { Fact, FactOf } from '../events/event.js';
import type { PermissionRule, Seat, TaskSpec } from '../events/facts/frozen.js';
import type { EndReason, FailureCause } from '../events/facts/run.js';
import type { BlockReason, Decider, MessageKind, RequestKind } from '../events/facts/work.js';
import type { AcceptedKey } from '../shared/signature.js';
import type { Brief, Delivered } from './brief.js';
import { type Budget, NOTHING_USED, type Reservation } from './budget.js';
import { NO_WORKSPACE, type Workspace } from './workspace.js';

/** What the lead closed the team with. */
export interface Closing {
  readonly outcome: 'done' | 'partial' | 'failed';
  readonly result: string;
}

/**
 * Where the run is in its life; each phase owns what exists in it. A team that was closed and then stopped, or lost
 * its process, keeps the lead's word: `closing` brings a resumed team to the end that it was given.
 */
export type Phase =
  | { readonly kind: 'absent' }
  | { readonly kind: 'running' }
  | { readonly kind: 'finishing'; readonly closing: Closing }
  | {
      readonly kind: 'stopping';
      readonly cause: FactOf<'run.stopping'>['cause'];
      readonly by: string;
      readonly forced: boolean;
      readonly closing: Closing | null;
    }
  | {
      readonly kind: 'ended';
      readonly reason: EndReason;
      readonly cause: FailureCause | null;
      readonly exit: number;
      readonly result: string | null;
      readonly closing: Closing | null;
    }
  | { readonly kind: 'archived' };

export type Wait = NonNullable<FactOf<'turn.ended'>['wait']>;
export type WaitReason = Wait['why'];
/** Why a provider has to be left alone. */
export type RefusalReason = Exclude<WaitReason, 'budget'>;

/** What a member is doing. A turn, a parked request, a wait and an error exclude each other by type. */
export type Life =
  /** `due` is the number of a fact that makes it due although no message does (interrupted, spawned again). */
  | { readonly kind: 'idle'; readonly since: number; readonly due: number | null }
  | {
      readonly kind: 'working';
      readonly turn: number;
      readonly cause: number;
      readonly attempt: number;
      readonly startedAt: number;
      /** Null where one process serves the team. */
      readonly host: string | null;
      readonly worker: string | null;
      /** How often it was to be taken over while its old process still lived. */
      readonly deferrals: number;
    }
  | { readonly kind: 'parked'; readonly turn: number; readonly request: string }
  /**
   * Its provider has to be left alone, or others have reserved the budget; `since` is the number of the fact that says
   * so, which makes it due at `until`, or as soon as it has `need`.
   */
  | {
      readonly kind: 'waiting';
      readonly turn: number;
      readonly since: number;
      /** Team time in milliseconds, as is `until`. */
      readonly from: number;
      readonly until: number;
      readonly why: WaitReason;
      readonly provider: string;
      readonly said: string;
      readonly need: Wait['need'];
    }
  | { readonly kind: 'errored'; readonly code: string; readonly error: string }
  | { readonly kind: 'stopped'; readonly by: string };

export type Plan =
  | { readonly kind: 'none' }
  | { readonly kind: 'required'; readonly version: number }
  | {
      readonly kind: 'pending';
      readonly version: number;
      readonly digest: string;
      readonly text: string;
      readonly request: string;
    }
  | { readonly kind: 'approved'; readonly version: number; readonly digest: string };

/** The part of a turn that lies before the wait which has divided it. */
export interface PartOfTurn {
  /** The number under which the turn began; null: no wait has divided it. */
  readonly turn: number | null;
  readonly calls: number;
  readonly text: string | null;
}

export const NO_PART: PartOfTurn = { turn: null, calls: 0, text: null };

/** How often a turn is found alive when it is to be taken over, until people are told of it. */
export const RECLAIMS = 3;

export const NO_REFUSALS: Member['refusals'] = { rate_limited: 0, unavailable: 0 };

export interface Member {
  readonly name: string;
  readonly seat: Seat;
  readonly life: Life;
  readonly plan: Plan;
  /** Ids of messages not yet in an answered input, oldest first. */
  readonly unread: readonly string[];
  /** Tasks this member holds an attempt of. */
  readonly claims: ReadonlySet<string>;
  /** Tasks it was offered and has not yet taken or let pass. */
  readonly offers: ReadonlySet<string>;
  readonly turns: number;
  /** Turns in a row that were lost with their process before a new reply. */
  readonly lost: number;
  /** Nudges in a row: how many of its last turns ended with nothing done about its tasks. */
  readonly nudges: number;
  /** Calls of its model that were refused in a row, by kind; an answer ends the row. */
  readonly refusals: Readonly<Record<RefusalReason, number>>;
  /** The model call that is reserved for it and has no answer yet. */
  readonly reserved: Reservation | null;
  /** What it had done of its turn before it had to wait: a wait divides a turn, it does not end it. */
  readonly beforeWait: PartOfTurn;
  /** Its last text, for the result of a run that closes by itself and for listings. */
  readonly lastText: string | null;
  /** Id of the last transcript entry of its last ended turn, '' before one ended; what is later is unfinished. */
  readonly upto: string;
  /** Calls that had started with an effect, by place; what is here without a result was interrupted. */
  readonly started: ReadonlyMap<string, { readonly tool: string; readonly request: string | null }>;
  /** It is to stop when its turn has ended; null while nobody has said so. */
  readonly stopping: { readonly by: string; readonly reason: string; readonly forced: boolean } | null;
  /** What deciders have allowed it for the rest of the run (`always`): rules of this member alone. */
  readonly granted: readonly PermissionRule[];
  /**
   * The tasks that it was told of and with which rules and skills come to it, each with the messages that these could
   * have ridden with, oldest first.
   */
  readonly riders: ReadonlyMap<string, readonly string[]>;
  /** The cause for which it is due while another holds the exclusive workspace; null: it was not put off. */
  readonly deferred: number | null;
}

export type TaskState =
  | { readonly kind: 'pending'; readonly since: number }
  | { readonly kind: 'claimed'; readonly member: string; readonly attempt: number }
  | {
      readonly kind: 'in_review';
      readonly member: string;
      readonly attempt: number;
      readonly summary: string;
      readonly evidence: FactOf<'task.submitted'>['evidence'];
      readonly evidenceDigest: string;
      readonly artifacts: readonly string[];
      readonly verdicts: ReadonlyMap<string, { readonly member: string; readonly verdict: string }>;
      readonly since: number;
    }
  | {
      readonly kind: 'blocked';
      readonly reason: BlockReason;
      readonly on: readonly string[];
      readonly detail: string;
      readonly since: number;
    }
  | {
      readonly kind: 'completed';
      readonly member: string;
      readonly attempt: number;
      readonly summary: string;
      readonly evidence: FactOf<'task.completed'>['evidence'];
      readonly artifacts: readonly string[];
      readonly since: number;
    }
  | { readonly kind: 'failed'; readonly cause: string; readonly detail: string; readonly since: number }
  | { readonly kind: 'cancelled'; readonly detail: string; readonly since: number };

/** A report that waits or waited for verdicts, with what came of it. */
export interface Submission {
  /** Of the evidence. */
  readonly digest: string;
  /** Sizes of its artifacts together, in bytes; null where nobody has looked. */
  readonly bytes: number | null;
  readonly verdicts: readonly {
    readonly role: string;
    readonly member: string;
    readonly verdict: FactOf<'task.reviewed'>['verdict'];
    readonly findings: string;
  }[];
}

export interface Task {
  /** `#1`, `#2`, … */
  readonly id: string;
  readonly by: string;
  readonly spec: TaskSpec;
  readonly blockedBy: ReadonlySet<string>;
  readonly state: TaskState;
  /** Number of the newest attempt, 0 before the first claim. */
  readonly attempts: number;
  /** The newest attempt of each member that ever held the task: the fence of a late report. */
  readonly holders: ReadonlyMap<string, number>;
  /** Attempts that ended without progress or in a crash, since the task was last opened. */
  readonly failedAttempts: number;
  /** Review rounds that ended in `request_changes`, since the operator last let them start again. */
  readonly rounds: number;
  /** Every report that was handed in for review, oldest first. */
  readonly submissions: readonly Submission[];
  /** The open gate request about it: until it is decided nobody goes on with the review. */
  readonly gate: string | null;
  /** How often it was blocked by something that passes, since the lead last opened it. */
  readonly transients: number;
  /** How its last attempt ended, where that was badly and nobody has taken the task since. */
  readonly flag: 'no_progress' | 'crashed' | null;
  /** Who has been offered it since it was last opened, and who holds the offer now. */
  readonly offeredTo: ReadonlySet<string>;
  readonly offer: string | null;
  /** Its brief that has not ended: there is one at most, and while there is the task comes to no end. */
  readonly brief: string | null;
  /** What an engineer has delivered last. */
  readonly delivered: Delivered | null;
}

export interface Message {
  readonly id: string;
  /** Number of its fact. */
  readonly number: number;
  readonly kind: MessageKind;
  readonly from: string;
  readonly to: readonly string[];
  /** Dropped (empty) once nobody has it unread: the log keeps it. */
  readonly body: string;
  readonly task: string | null;
  readonly sentAt: number;
  readonly pending: ReadonlySet<string>;
}

export type RequestStatus =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'decided';
      readonly number: number;
      readonly decision: FactOf<'request.decided'>['decision'];
      readonly text: string | null;
      readonly by: Decider;
      /** True once the approved call has started: an approval is used once. */
      readonly used: boolean;
    }
  | { readonly kind: 'expired'; readonly number: number }
  | { readonly kind: 'withdrawn'; readonly number: number; readonly reason: string };

export interface Request {
  readonly id: string;
  readonly number: number;
  readonly kind: RequestKind;
  readonly member: string;
  readonly place: string;
  readonly principals: readonly ('operator' | 'lead')[];
  readonly digest: string;
  readonly tool: string;
  readonly class: 'read' | 'write' | 'destructive' | null;
  readonly arguments: string;
  readonly summary: string;
  readonly context: string | null;
  readonly policy: string;
  /** What `always` would allow, a pattern of the tool; null: it may not be said. */
  readonly always: string | null;
  /** The task that a gate is about; null for the other kinds. */
  readonly task: string | null;
  readonly openedAt: number;
  readonly expiresAt: number | null;
  readonly status: RequestStatus;
}

/** A message that can never be read, as `status` tells of it. */
export interface DeadLetter {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly reason: FactOf<'mail.dead'>['reason'];
  /** The head of its text. */
  readonly line: string;
}

/** What a command has given: facts, or the refusal that it was told and the facts that keep its wish. */
export interface Applied {
  readonly facts: readonly Fact[];
  readonly refused: { readonly code: string; readonly message: string } | null;
}

export interface TeamState {
  /** Number that the next fact will have. */
  readonly next: number;
  /** Team time of the newest entry, milliseconds. */
  readonly at: number;
  readonly run: FactOf<'run.started'> | null;
  /** Whose signatures count, those that were retired since as such. */
  readonly keys: readonly AcceptedKey[];
  readonly phase: Phase;
  readonly lead: string;
  readonly workspace: Workspace;
  /** Entries that were disabled when the team was last taken up, by name, with what disables them. */
  readonly disabled: ReadonlyMap<string, string>;
  readonly members: ReadonlyMap<string, Member>;
  readonly tasks: ReadonlyMap<string, Task>;
  /** Those that are pending, in the order of the board: a board of thousands is looked at for every turn. */
  readonly pending: ReadonlySet<string>;
  readonly messages: ReadonlyMap<string, Message>;
  readonly requests: ReadonlyMap<string, Request>;
  readonly briefs: ReadonlyMap<string, Brief>;
  readonly budget: Budget;
  /** Limits that have been met, with what was found: the lead knows of them, and those of the run end it. */
  readonly limitsMet: ReadonlyMap<string, number>;
  /** How often the lead was told that nothing moves, since the board last changed. */
  readonly told: number;
  readonly counts: {
    readonly delivered: number;
    readonly dead: number;
    readonly expired: number;
    readonly suppressed: number;
  };
  /** The newest messages that can never be read, oldest first; `counts.dead` counts them all. */
  readonly deadLetters: readonly DeadLetter[];
  /** What commands outside of turns have given, by id: the newest few (`applied.ts`). */
  readonly applied: ReadonlyMap<string, Applied>;
  /** The same of the commands of turns, by `turnScope`, until the turn ends. */
  readonly appliedInTurns: ReadonlyMap<string, ReadonlyMap<string, Applied>>;
}

/** The state of a team of which nothing is recorded. */
export function emptyState(): TeamState {
  return {
    next: 1,
    at: 0,
    run: null,
    keys: [],
    phase: { kind: 'absent' },
    lead: '',
    workspace: NO_WORKSPACE,
    disabled: new Map(),
    members: new Map(),
    tasks: new Map(),
    pending: new Set(),
    messages: new Map(),
    requests: new Map(),
    briefs: new Map(),
    budget: { ...NOTHING_USED },
    limitsMet: new Map(),
    told: 0,
    counts: { delivered: 0, dead: 0, expired: 0, suppressed: 0 },
    deadLetters: [],
    applied: new Map(),
    appliedInTurns: new Map(),
  };
}

/** A task that still wants work or a decision. */
export function isOpen(task: Task): boolean {
  const kind = task.state.kind;
  return kind === 'pending' || kind === 'claimed' || kind === 'in_review' || kind === 'blocked';
}

/** A member that can be given work: idle, working, parked or waiting. */
export function isLive(member: Member): boolean {
  return member.life.kind !== 'stopped' && member.life.kind !== 'errored';
}
