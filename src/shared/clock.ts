/**
 * The only place that reads the machine's clocks (architecture: owner of the wall clock).
 *
 * Decisions never use the wall clock: team time is recorded elapsed time carried on by the monotonic
 * clock (spec/engine.md §2 "Time"). The wall clock is for people only: stamps in logs and listings.
 */

/** What a part of the program needs to know about time. Injected, so tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch, for people; may jump. Never compare two of them to decide. */
  wallMs(): number;
  /** Milliseconds on a clock that never goes back, with an arbitrary origin. */
  monotonicMs(): number;
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** ISO 8601 in UTC with milliseconds, the form used in every published stamp. */
export function isoStamp(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
