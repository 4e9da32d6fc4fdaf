/**
 * Where the runners of a team are, as its desk sees it: children of this process, or processes on other machines. One side
 * sees to it that each brief that is out has a runner, hears what that says, and takes in what it brings.
 */

import type { FactOf } from '../../events/event.js';

/** What a team does with its desk. */
export interface Hearing {
  /** The team cannot go on. */
  failed(error: unknown): void;
  /** What went wrong beside the run. */
  trouble(text: string): void;
}

export interface RunnerSide {
  /**
   * Takes up what an earlier process has left, before anything moves.
   * @returns what is to be said of it, a line each
   */
  takeUp(): Promise<readonly string[]>;
  /** Begins to look for runners. */
  go(hearing: Hearing): void;
  /** A brief is out. */
  sent(fact: FactOf<'brief.sent'>): void;
  /** A brief is to end. */
  cancel(brief: string, reason: string): void;
  /** A brief has ended. */
  ended(fact: FactOf<'brief.ended'>): void;
  /** The team has ended in this process; settles within the grace. */
  close(graceMs: number): Promise<void>;
  /** Behind that: nothing of engineers is left on this machine that its runners had here. */
  endLeft(): Promise<void>;
}
