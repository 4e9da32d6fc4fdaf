/** What coordination tools are told of delegated work beside the state (spec/runner.md §4): by the process that keeps the runners. */

import type { CheckedResult } from '../../team/command.js';
import type { EngineerSeen } from '../../team/show/status-briefs.js';

export interface Delegated {
  /** What the engineer of a brief was last seen to do; null: none is at work on it. */
  engineerOf(brief: string): EngineerSeen | null;
  /**
   * The result of a brief that came when it had been given up: looked at, kept as evidence, its commits taken in.
   * @param brief its id, whole or without the team
   */
  lateResult(
    brief: string,
  ): Promise<
    | { readonly kind: 'result'; readonly checked: CheckedResult }
    | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  >;
}
