/** How the work on a brief speaks to whoever gave it: over the pipes of a parent, or over Redis. */

import type { RunnerLine } from './lines.js';

export interface Voice {
  /** Says a line of the protocol; never waits, must not throw. */
  say(line: RunnerLine): void;
  /**
   * Resolves when the work may begin behind the promise that was said (spec/runner.md §3 "Accept"), or must not. Never
   * rejects; called off, it may resolve either way.
   */
  begins(brief: string, cancel: AbortSignal): Promise<Begins>;
}

export type Begins =
  | { readonly kind: 'begins' }
  /** The brief is another's, or at its end: whatever was made for it goes, and nothing is reported of it. */
  | { readonly kind: 'not'; readonly message: string };
