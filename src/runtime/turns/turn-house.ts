/** What the turns of a team run in: its record and state, and what each seat brings. Made once a team, by its wiring. */

import type { Gate } from '../../agent/ask.js';
import type { TeamRecord } from '../../events/record.js';
import type { TranscriptEntry } from '../../events/transcript-entry.js';
import type { Model, PromptPart } from '../../models/model.js';
import { BugError } from '../../shared/errors.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import type { TeamStore } from '../../state/team-store.js';
import { turnScope } from '../../team/evolve.js';
import type { PermissionRule } from '../../team/policy/policy.js';
import type { Member } from '../../team/show/view.js';
import type { Delegated } from '../../tools/coordination/delegated.js';
import type { SeatTool } from './member-tools.js';

export interface TurnSeat {
  readonly model: Model;
  readonly system: readonly PromptPart[];
  readonly tools: ReadonlyMap<string, SeatTool>;
  readonly patterns: readonly PermissionRule[];
}

/** The seats of a team. */
export interface TurnSeats {
  /** The model of a member. */
  model(member: string): Model;
  /** What a turn of the member needs, made anew each time: whoever holds it beyond the turn holds all of it. */
  seat(member: string): TurnSeat;
}

export interface TurnHouse {
  /** Id of the team. */
  readonly team: string;
  readonly store: TeamStore;
  readonly record: TeamRecord;
  readonly workspace: string;
  /** What tools print and operators say is put in without what is secret. */
  readonly secrets: Redactor;
  readonly seats: TurnSeats;
  /** The member's way to its model, which others may go as well. */
  gate(member: string): Gate;
  /** A text of entries that stands in inputs: a reference block, or what rides with a task; by its SHA-256. */
  inputText(sha256: string): string;
  /**
   * Whether the member may go on with what it was given; when not, it is stopped, or the run is, before the answer. Asked
   * before anything is done in its name.
   */
  mayGoOn(member: string): Promise<boolean>;
  fileBytes(path: string, head: string | null): Promise<number | null>;
  /** Null where nobody delegates. */
  readonly delegated: Delegated | null;
  onTranscript(member: string, entry: TranscriptEntry): void;
  /** Absent where nobody looks on. */
  readonly onFragment?: (member: string, fragment: string) => void;
  busy(member: string, what: string | null): void;
  /** Where a recorded run is played again: the order in which things come. */
  readonly pace?: TurnPace;
  /** Where several processes serve the team: takes the lease of a turn that has begun here. */
  readonly lease?: (turn: number) => TurnLease;
  /** What is denied on this machine whatever the run allows: it only tightens the rules that are frozen in the record. */
  readonly denies?: readonly PermissionRule[];
  /** Who runs turns here, for the record of a team that several processes serve. */
  readonly runBy?: { readonly host: string; readonly worker: string };
}

/** While it is held the turn goes on. */
export interface TurnLease {
  /** Fires when it is lost, or was never got. */
  readonly signal: AbortSignal;
  /** Resolves when it is held: before anything that the turn does. Rejects when it cannot be had. */
  readonly taken: Promise<unknown>;
  /** Gives it back, soon. */
  end(): void;
}

/** When a member's turn may look and act, so that it sees what its recorded one saw. */
export interface TurnPace {
  /** Resolves when the member may look for mail, and ask or end. */
  comes(member: string): Promise<void>;
  /** Resolves when a call may run. */
  calls(member: string, place: string): Promise<void>;
}

/** A member of the state; a turn is run for no other. */
export function memberOf(store: TeamStore, name: string): Member {
  const member = store.state.members.get(name);
  if (member === undefined) throw new BugError('unknown-member', `no member is named ${name}`);
  return member;
}

/** The id of a command that a member's turn sends: whoever takes the turn up again sends the same. */
export function scoped(member: string, key: string): string {
  return `${turnScope(member)}${key}`;
}
