/**
 * What `bnerd doctor` looks at, one thing each: what was found, what is wanted, what to do (spec/engine.md §3). Nothing that is
 * found holds a key or a password.
 */

/** `error`: teams cannot run here as they should. `warning`: worth knowing, and may be meant so. */
export type CheckState = 'ok' | 'warning' | 'error';

/** snake_case, JSON-serialisable, fields only added within v1. */
export interface Check {
  /** Stable: `node`, `git`, `redis-eviction`, … */
  readonly check: string;
  readonly state: CheckState;
  readonly found: string;
  readonly wanted: string;
  /** Null: there is nothing to do. */
  readonly remedy: string | null;
}

/** A thing that is as it should be. */
export function well(check: string, found: string, wanted: string): Check {
  return { check, state: 'ok', found, wanted, remedy: null };
}
