/** When a log was written, for people: no decision reads it. */

import type { LogEntry } from '../events/log-entry.js';

/** Wall clocks of a log, ISO 8601, for people: no decision reads them. */
export interface Walls {
  readonly first: string;
  readonly newest: string;
}

/** Those of a log; undefined of an empty one. */
export function wallsOf(entries: readonly LogEntry[]): Walls | undefined {
  const [first] = entries;
  const newest = entries.at(-1);
  return first === undefined || newest === undefined ? undefined : { first: first.wall, newest: newest.wall };
}

/** Those of a log that goes on. */
export function wallsAfter(before: Walls | undefined, tail: readonly LogEntry[]): Walls | undefined {
  const walls = wallsOf(tail);
  return walls === undefined ? before : { first: before?.first ?? walls.first, newest: walls.newest };
}
