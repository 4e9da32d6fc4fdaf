/**
 * A folded state as a text, and back: what a snapshot holds (spec/engine.md §1 "Versions"). The same code reads it that
 * wrote it, and whoever keeps it has seen that nobody changed it: so a text that can be read at all is a state.
 *
 * JSON, in which maps, sets and numbers that JSON does not have stand as objects with one key of their own, and objects that
 * look like those are marked as well: any state comes back as it was.
 */

import type { TeamState } from '../team/state.js';
import type { Walls } from './walls.js';

/** What goes into a snapshot: the state, and the wall clocks of the log that it was folded of. */
export interface Folded {
  readonly state: TeamState;
  readonly walls: Walls;
}

/** The text of a state, which is not held on to. */
export function snapshotText(folded: Folded): string {
  return JSON.stringify(folded, (_, value: unknown) => marked(value));
}

/** The state of a text; undefined when it is none. */
export function readSnapshot(text: string): Folded | undefined {
  try {
    return JSON.parse(text, (_, value: unknown) => unmarked(value)) as Folded;
  } catch {
    return undefined; // no snapshot: whoever wants the state folds it
  }
}

function marked(value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof Set) return { $set: [...value] };
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.keys(value).some((key) => key.startsWith('$')) ? { $object: Object.entries(value) } : value;
}

function unmarked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
  if ('$set' in value) return new Set(value.$set as unknown[]);
  if ('$number' in value) return Number(value.$number);
  return '$object' in value ? Object.fromEntries(value.$object as [string, unknown][]) : value;
}
