/**
 * Brings entries of older versions up to `RECORD_VERSION`, one step a version (spec/engine.md §1 "Versions").
 *
 * A step changes the shape of facts, never their count: a fact's number is its place, and turns, causes and
 * fences are such numbers. Golden records of every released version (`test/fixtures/runs/v<n>.jsonl`) keep
 * the steps honest.
 */

import { RECORD_VERSION } from './log-entry.js';

/** An entry as it was parsed, before anything is known of it but that it is an object with a version. */
export type StoredEntry = Readonly<Record<string, unknown>>;

/** Turns an entry of version n into one of n + 1. */
export type UpcastStep = (entry: StoredEntry) => StoredEntry;

/** By the version a step starts from. Version 1 is the first, so there is none yet. */
const STEPS: ReadonlyMap<number, UpcastStep> = new Map();

/**
 * The entry at the version this program reads; itself when it has it already. Undefined when no step starts
 * from the entry's version: it is older than every released one, or newer than this program.
 */
export function upcast(
  entry: StoredEntry,
  version: number,
  steps: ReadonlyMap<number, UpcastStep> = STEPS,
  target: number = RECORD_VERSION,
): StoredEntry | undefined {
  let current = entry;
  for (let at = version; at !== target; at++) {
    const step = at < target ? steps.get(at) : undefined;
    if (step === undefined) return undefined;
    current = step(current);
  }
  return current;
}
