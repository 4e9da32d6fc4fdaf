/**
 * The tool port: one thing a member may do. A tool that fails gives a result, never an exception
 * (spec/team.md §2); an exception out of `run` is a bug and is turned into an error result by the loop.
 */

import type { ToolDefinition } from '../models/model.js';
import type { CallSubjects } from '../shared/call-subjects.js';

export type { ToolDefinition };

/** Read / Write / Destructive are what the safety floor speaks of; coordination tools change only the team. */
export type ToolClass = 'read' | 'write' | 'destructive' | 'coordination';

export interface ToolResult {
  /** What the model is told; bounded by the tool. */
  readonly text: string;
  readonly outcome: 'ok' | 'error';
}

/** Arguments that passed the tool's schema, with what the policy and the operator need to know of the call. */
export type PreparedCall =
  | {
      readonly kind: 'ready';
      readonly class: ToolClass;
      /** One line for people: what would run, e.g. the command. */
      readonly summary: string;
      /** What rules match on: the command, the path, the host. */
      readonly subject: string;
      /** The simple commands of a shell line, for rules; absent: the tool is not a shell. */
      readonly subjects?: CallSubjects;
      /** Why the call is of a stricter class than the tool, for people and for the member. */
      readonly why?: string;
      /** Normalised arguments: what is stored, digested, approved and run. JSON-serialisable. */
      readonly arguments: unknown;
      /**
       * Only an operator may confirm this call, whatever rules and flags say: it writes into an agent folder
       * (spec/team.md §2, `edits_agents`). Absent: the policy decides.
       */
      readonly operatorConfirms?: true;
      /** A program is run, of whatever class: the call needs a confirmation, as one of `shell_exec` does. */
      readonly runsProgram?: true;
    }
  | { readonly kind: 'refused'; readonly text: string };

export interface Tool {
  readonly definition: ToolDefinition;
  /** The class of the tool when nothing more is known; `shell_exec` is classed per call by `prepare`. */
  readonly class: ToolClass;
  /** Checks arguments and classes the call. Reads at most; never has an effect. */
  prepare(args: unknown): Promise<PreparedCall>;
  /**
   * Runs a prepared call's normalised arguments. Obeys the signal within the run's grace.
   * @param place where the call stands in its member's transcript, for a tool whose effect must happen once; empty: nowhere
   */
  run(args: unknown, signal: AbortSignal, place?: string): Promise<ToolResult>;
}

/** An ok result. */
export function ok(text: string): ToolResult {
  return { text, outcome: 'ok' };
}

/** A failed result: where, what was found, what is allowed, what to do. */
export function failed(text: string): ToolResult {
  return { text, outcome: 'error' };
}
