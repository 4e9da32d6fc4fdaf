/**
 * The engine port: where teams are recorded, who runs them, and how a word reaches the process that does
 * (spec/engine.md §1, the table). What a team is and what may happen to it does not depend on it.
 *
 *  G1 a team that is open is run by nobody else until its releases have run;
 *  G2 a look takes nothing and changes nothing: of a team that runs as of one that does not;
 *  G3 a word is carried out once, by the process that runs the team where there is one.
 */

import type { Lines } from '../../events/line-follower.js';
import type { LogEntry } from '../../events/log-entry.js';
import type { RecordView } from '../../events/record-view.js';
import type { Finding } from '../../shared/findings.js';
import type { FoldedLog } from '../../state/fold-log.js';
import type { Outcome } from '../../state/team-store.js';
import type { ProcessesSeen } from '../../team/show/status-processes.js';
import type { TeamState } from '../../team/show/view.js';
import type { ControlReply, ControlRequest } from '../control/control-protocol.js';
import type { OpenedTeam, OpenTeam } from '../open-team.js';

/** Who runs a team; `unknown`: somebody who cannot be looked at from here, and who may live. */
export type Holding =
  | { readonly kind: 'free' }
  /** `text`: who it is, for people. */
  | { readonly kind: 'held'; readonly verdict: 'alive' | 'unknown'; readonly text: string };

export interface TeamLook {
  /** @param reading `tolerant`: what cannot be read is a finding; `strict`: it refuses */
  view(reading: 'strict' | 'tolerant'): RecordView;
  /** The state that the log gives, read strictly. Rejects as a strict view does. */
  folded(): Promise<FoldedLog>;
  /** The log as it grows. Of a team that is about to start there is nothing yet. The caller closes it. */
  lines(): Lines;
  holding(): Promise<Holding>;
  /** What the process that runs the team says of its state; undefined where none does, or none that can be asked. */
  ask(
    request: Extract<ControlRequest, { op: 'status' | 'state' }>,
    deadlineMs?: number,
  ): Promise<ControlReply | undefined>;
  /** What no record says of the processes that serve the team. @param now team time in milliseconds */
  processes(state: TeamState, now: number): Promise<ProcessesSeen>;
  /** Waits until something may have come, or a while has passed; rejects with `CancelledError` when the signal fires. */
  next(signal: AbortSignal): Promise<void>;
}

export type Operated =
  /** `live`: a process that runs the team has it. */
  | { readonly kind: 'done'; readonly text: string; readonly live: boolean }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

export type PutAway =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** What became of a word in the record; `text`: what the operator is told of it. */
export type Told =
  | (Extract<Outcome, { kind: 'accepted' }> & { readonly text: string })
  | Extract<Outcome, { kind: 'refused' }>;

/** An operator's word. */
export interface Word {
  /** For the one process that runs the team, where there is such a one. */
  readonly request: ControlRequest;
  /** Where nobody runs the team: no turn is live, whatever the record last said. */
  alone(team: OpenTeam): Promise<Told>;
  /** Where others run the team and read what is recorded. */
  beside(team: OpenTeam): Promise<Told>;
}

export interface Engine {
  /** Ids of all teams that are not put away, oldest first. */
  ids(): Promise<readonly string[]>;
  /** Teams that had ended and that only this machine has something of, which it mirrored; with what `look` would have read. */
  mirrored(): Promise<readonly { readonly id: string; readonly entries: readonly LogEntry[] }[]>;
  /** Clears away what killed processes have left on this machine of teams that are there no more. */
  clear(): Promise<void>;
  /** The folder of a team on this machine, whether it is there or not. */
  folder(id: string): string;
  /**
   * Takes a team to run it, or to write into it while nobody does.
   * @param mode `create`: it must not be there yet
   * @param takeOver the operator's word on what cannot be known from here: that its holder is gone, that its record was lost
   */
  open(id: string, mode: 'create' | 'open', takeOver?: boolean): Promise<OpenedTeam>;
  /** Looks at a team; what it is given holds for the time of the call. */
  look<Value>(id: string, look: (team: TeamLook) => Promise<Value>): Promise<Value>;
  /** Carries a word out. */
  say(id: string, word: Word): Promise<Operated>;
  /** Carries out the word that ends a team by force, and sees it ended whoever answers or does not. */
  sayByForce(id: string, word: Word): Promise<Operated>;
  /** Takes away what was made of a team that could not be begun, and releases it; never rejects. */
  takeBack(team: OpenTeam): Promise<void>;
  /**
   * Puts away a team that was told to stop, once nobody runs it any more: recorded as archived and moved to the archive.
   * What was running is waited for; `still-live` when that is in vain.
   * @param how `purge`: nothing is kept
   */
  putAway(id: string, how: { readonly purge: boolean }): Promise<PutAway>;
}
