/**
 * Commands: wishes to change the team. Every wish of a model's tool call, an operator, a process or the sweeper
 * is one of these and goes one way: `decide` (spec/engine.md §1). The id makes it idempotent.
 */

import type { FactOf } from '../events/event.js';
import type { BriefCause, BriefEnd, BriefStep } from '../events/facts/briefs.js';
import type { TaskSpec } from '../events/facts/frozen.js';
import type { TurnOutcome } from '../events/facts/run.js';
import type { BlockReason, Decider } from '../events/facts/work.js';
import type { NamedKey } from '../shared/team-keys.js';
import type { Wish } from './ledger.js';
import type { ProcessCommand } from './process-command.js';
import type { Wait } from './state.js';
import type { TurnLimit } from './turn-marks.js';

/** What a turn may do; `turn` is its fence: after a newer turn of the member nothing of an older one counts. */
interface InTurn {
  readonly member: string;
  readonly turn: number;
}

/** Who asks for something that lead and operator may both do. */
export type Asker =
  | ({ readonly kind: 'member' } & InTurn)
  | { readonly kind: 'operator'; readonly name: string };

/** A path that a completed task names and that is no file of the workspace. */
export interface MissingArtifact {
  readonly task: string;
  readonly path: string;
}

export type RunCommand =
  | {
      readonly kind: 'run.start';
      readonly started: FactOf<'run.started'>;
      readonly tasks: readonly TaskSpec[];
      /** Entries that were not composed, recorded beside the spawns. */
      readonly entries: readonly FactOf<'entry.rejected' | 'entry.omitted'>[];
    }
  | {
      readonly kind: 'run.resume';
      readonly host: string;
      /** Turns that other processes hold still, as their leases say. Absent: this process is the only one. */
      readonly kept?: readonly number[];
      /** Number of the next fact when those were looked at: a turn that began later is another process's as well. */
      readonly asOf?: number;
      /** Entries of its seats that are disabled by now. */
      readonly disabled: readonly FactOf<'run.resumed'>['disabled'][number][];
      /** Keys that are to count from here on as well, and ids of those that are not to any more. Absent: none. */
      readonly keys?: readonly NamedKey[];
      readonly retiredKeys?: readonly string[];
      readonly findings: FactOf<'run.resumed'>['findings'];
    }
  | { readonly kind: 'run.stop'; readonly by: string; readonly cause: FactOf<'run.stopping'>['cause'] }
  | { readonly kind: 'run.kill'; readonly by: string }
  /** Look whether the run has come to an end, a request has expired, or nothing moves any more. */
  | {
      readonly kind: 'run.sweep';
      readonly operatorPresent: boolean;
      /** Artifacts of completed tasks that were looked for just now and are not there. */
      readonly missingArtifacts: readonly MissingArtifact[];
    }
  /** The process cannot go on with the team. */
  | {
      readonly kind: 'run.fail';
      readonly cause: 'error' | 'disk_full' | 'approval_revoked';
      readonly detail: string;
    }
  | { readonly kind: 'run.archive'; readonly by: string };

export type TurnCommand =
  | {
      readonly kind: 'turn.start';
      readonly member: string;
      readonly cause: number;
      /** The machine and the process that take it, where several serve the team. */
      readonly host?: string;
      readonly worker?: string;
    }
  | ({
      readonly kind: 'turn.end';
      readonly outcome: Exclude<TurnOutcome, 'no_progress' | 'failed'>;
      readonly request: string | null;
      readonly upto: string;
      readonly text: string | null;
      readonly calls: number;
      /** The last reply was cut off by the provider's cap on its length. */
      readonly cut: boolean;
      readonly detail: string | null;
      /** The limit of the turn that has cut it off; absent where none has. */
      readonly limit?: TurnLimit;
    } & InTurn)
  /** The provider has to be left alone, or others have reserved the budget: the turn goes on after a wait. */
  | ({
      readonly kind: 'turn.wait';
      readonly why: 'rate_limited' | 'unavailable' | 'budget';
      readonly provider: string;
      /** From now, milliseconds. */
      readonly waitMs: number;
      /** Whether a call of this member was refused; false where it did not ask. */
      readonly asked: boolean;
      readonly upto: string;
      readonly text: string | null;
      readonly calls: number;
      /** What the provider said. */
      readonly detail: string;
      /** What the call would take, where others have reserved the budget. */
      readonly need?: Wait['need'];
      /** The call may have been used although no answer came; absent: the provider refused it before it did anything. */
      readonly perhapsUsed?: boolean;
    } & InTurn)
  /** The turn cannot go on and would fail again: the member is errored and the lead is told. */
  | ({
      readonly kind: 'turn.fail';
      readonly upto: string;
      readonly calls: number;
      readonly code: string;
      readonly error: string;
      /** As of `turn.wait`. */
      readonly perhapsUsed?: boolean;
    } & InTurn)
  | ({
      readonly kind: 'budget.reserve';
      readonly wish: Wish;
      /** How large the record is. */
      readonly recordBytes: number;
    } & InTurn)
  | ({
      readonly kind: 'reply.settle';
      readonly model: string;
      readonly inputTokens: number;
      readonly cachedTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number | null;
      readonly delivered: readonly string[];
      readonly suppressed: readonly string[];
    } & InTurn)
  /** A member's memory was compacted, in entry `entry` of its transcript. */
  | ({
      readonly kind: 'memory.compact';
      readonly entry: string;
      readonly model: string | null;
      readonly beforeTokens: number;
      readonly afterTokens: number;
    } & InTurn)
  /** Something was refused by a limit before it could become a wish; said each time, told once. */
  | ({
      readonly kind: 'limit.meet';
      readonly limit: 'calls_per_reply';
      readonly value: number;
      readonly text: string;
    } & InTurn)
  /** Mail that stands in an answered input of an earlier, lost turn. */
  | ({ readonly kind: 'mail.recover'; readonly ids: readonly string[] } & InTurn)
  | ({
      readonly kind: 'tool.start';
      readonly place: string;
      readonly tool: string;
      readonly class: 'read' | 'write' | 'destructive';
      readonly digest: string;
      readonly request: string | null;
    } & InTurn);

export type BoardCommand =
  | { readonly kind: 'task.create'; readonly by: Asker; readonly tasks: readonly TaskSpec[] }
  | {
      readonly kind: 'task.update';
      readonly by: Asker;
      readonly task: string;
      readonly subject: string | null;
      readonly description: string | null;
      readonly role: string | null;
      readonly addBlockedBy: readonly string[];
      readonly removeBlockedBy: readonly string[];
      readonly addBlocks: readonly string[];
      readonly status: 'pending' | 'cancelled' | 'failed' | null;
      readonly detail: string;
    }
  | ({ readonly kind: 'task.claim'; readonly task: string } & InTurn)
  | ({
      readonly kind: 'task.release';
      readonly task: string;
      readonly attempt: number;
      readonly detail: string;
    } & InTurn)
  | ({
      readonly kind: 'task.block';
      readonly task: string;
      readonly attempt: number;
      readonly reason: BlockReason;
      readonly on: readonly string[];
      readonly detail: string;
    } & InTurn)
  | ({
      readonly kind: 'task.complete';
      readonly task: string;
      readonly attempt: number;
      readonly summary: string;
      readonly evidence: readonly { readonly item: string; readonly text: string }[];
      readonly artifacts: readonly string[];
      /** Artifacts of the task that the caller looked for and did not find. */
      readonly missingArtifacts: readonly string[];
      /** Sizes of the artifacts that are there, together, in bytes. */
      readonly artifactBytes: number;
      readonly addBlocks: readonly string[];
    } & InTurn)
  | ({
      readonly kind: 'task.review';
      readonly task: string;
      readonly attempt: number;
      /** `inconclusive`: it stands in a reply that was cut off, so nobody knows what else it would have said. */
      readonly verdict: 'approve' | 'request_changes' | 'inconclusive';
      readonly findings: string;
      /** Of the report that the reviewer saw. */
      readonly evidenceDigest: string;
      /** What it found beside the task: proposals to the lead, which hold nothing up. */
      readonly newFindings: readonly string[];
      /** Artifacts of the task that the caller looked for and did not find. */
      readonly missingArtifacts: readonly string[];
    } & InTurn);

export type MailCommand = {
  readonly kind: 'mail.send';
  readonly by: Asker;
  readonly to: string;
  readonly body: string;
  readonly task: string | null;
};

export type RequestCommand =
  | ({
      readonly kind: 'request.open';
      readonly opened: Omit<
        FactOf<'request.opened'>,
        'type' | 'request' | 'member' | 'principals' | 'expires_ms'
      >;
      /** The whole plan, when the request asks for one to be approved. */
      readonly plan: string | null;
      /** Nobody but an operator may decide it: it writes into an agent folder. */
      readonly operatorConfirms?: true;
      /** A decision that a rule or flag gives at once. */
      readonly decided: { readonly decision: 'approve' | 'skip'; readonly by: Decider } | null;
    } & InTurn)
  | {
      readonly kind: 'request.decide';
      readonly by: Asker;
      readonly request: string;
      /** `always` approves this call, and others like it from here on (`policy/always.ts`). */
      readonly decision: FactOf<'request.decided'>['decision'] | 'always';
      readonly text: string | null;
      /** The digest that the decider saw; null when it was shown by the request itself, as operators are. */
      readonly digest: string | null;
      /** Where a gate is decided: artifacts of its task that were looked for and are not there. Absent: nobody looked. */
      readonly missingArtifacts?: readonly string[];
    };

export type MemberCommand =
  | { readonly kind: 'member.spawn'; readonly by: Asker; readonly role: string }
  | {
      readonly kind: 'member.stop';
      readonly by: Asker;
      /** Its name, its role, or `lead`. */
      readonly member: string;
      readonly reason: string;
      /** What its tools have started is killed at once; absent: they get their grace. */
      readonly forced?: boolean;
    }
  /**
   * The word of the process that runs a member which is to stop: `force` when it has not ended in time, `cut` when killing
   * its tools has not ended it either, `gone` when no process has that turn.
   */
  | {
      readonly kind: 'member.unheeded';
      readonly member: string;
      readonly step: 'force' | 'cut' | 'gone';
    }
  /** What a member was given must not be used any more: it stops, and where it leads, the run fails by this cause. */
  | {
      readonly kind: 'member.withdraw';
      readonly member: string;
      readonly cause: 'error' | 'approval_revoked';
      /** The entry that it goes without from here on, and why; null where it is none of its entries. */
      readonly omitted: { readonly entry: string; readonly reason: 'integrity' | 'trust' } | null;
      readonly reason: string;
    }
  | ({
      readonly kind: 'run.finish';
      readonly outcome: 'done' | 'partial' | 'failed';
      readonly result: string;
    } & InTurn);

/** A brief that was prepared, signed and stored: what `brief.sent` says of it. */
export type BriefOffer = Omit<FactOf<'brief.sent'>, 'type' | 'member'>;

/** What decides of a signed result that was checked: a result is one as it is (spec/runner.md §3 "Result"). */
export interface BriefResult {
  readonly status: BriefEnd;
  readonly cause: BriefCause | null;
  readonly detail: string | null;
  /** The engineer's last text; untrusted. */
  readonly message: string;
  /** Null: nothing was committed. */
  readonly head: string | null;
  readonly diffstat: { readonly files: number; readonly insertions: number; readonly deletions: number };
  readonly uncommitted: readonly string[];
  readonly protected: readonly string[];
  readonly verify: readonly FactOf<'brief.ended'>['verify'][number][];
  /** Why no command was run; null where they were. */
  readonly not_verified: 'read_only' | 'nothing_to_verify' | 'not_reached' | null;
  /** What of the team's own repository was another behind the engineer than before it. */
  readonly workspace_changes: readonly string[];
  /** `cost_usd` null: nobody said. Where no engineer was started it is 0. */
  readonly usage: FactOf<'brief.ended'>['usage'] & { readonly cost_usd: number | null };
  readonly sent_block: string;
  readonly final_block: string;
  readonly transcript: FactOf<'brief.ended'>['transcript'];
}

/** How the commits of a result have come into the workspace repository. */
export type Delivery =
  | { readonly kind: 'delivered'; readonly branch: string; readonly head: string; readonly commits: number }
  /** There are none, or none that are to be taken. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly detail: string };

/** A result that was checked and looked at, as far as it decides anything. */
export interface CheckedResult {
  readonly brief: string;
  /** SHA-256 of the stored result. */
  readonly text: string;
  readonly result: BriefResult;
  readonly delivery: Delivery;
  /** Artifacts of the task that were looked for in the workspace and are not there. */
  readonly missingArtifacts: readonly string[];
}

export type BriefCommand =
  /** Refused as `prepare_again` when task, attempt or offer are no longer what the brief was prepared for. */
  | ({ readonly kind: 'brief.send'; readonly sent: BriefOffer } & InTurn)
  /** A runner has taken the brief; its word was checked. Refused: it must not begin. */
  | { readonly kind: 'brief.accept'; readonly accepted: Omit<FactOf<'brief.accepted'>, 'type'> }
  | {
      readonly kind: 'brief.progress';
      readonly brief: string;
      readonly step: BriefStep;
      readonly detail: string | null;
    }
  | { readonly kind: 'brief.cancel'; readonly by: Asker; readonly brief: string; readonly reason: string }
  | ({ readonly kind: 'brief.end' } & CheckedResult)
  /** A late result of a brief that was lost is to count: of the lead or the operator. */
  | ({ readonly kind: 'brief.adopt'; readonly by: Asker } & CheckedResult)
  /** No runner has it any more and no result of it was found. `again`: it as it may be offered again, if it may. */
  | {
      readonly kind: 'brief.lose';
      readonly brief: string;
      readonly detail: string;
      readonly again: BriefOffer | null;
    }
  /** No live runner can take it: its pool has none (`no_runner`), or those that serve it lack something (`not_taken`). */
  | {
      readonly kind: 'brief.unserved';
      readonly brief: string;
      readonly pool: string;
      readonly why: 'no_runner' | 'not_taken';
      readonly detail: string | null;
    }
  /** A word about a brief that decides nothing: of no known runner, or of no known brief. */
  | {
      readonly kind: 'brief.witness';
      readonly brief: string;
      readonly code: string;
      readonly detail: string;
      readonly result: string | null;
    };

export type Command =
  | RunCommand
  | TurnCommand
  | ProcessCommand
  | BoardCommand
  | MailCommand
  | RequestCommand
  | MemberCommand
  | BriefCommand;
