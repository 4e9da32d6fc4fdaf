/**
 * A log entry: one commit of one process. It holds one or more decisions, each under its command's id; the
 * number of a fact is `first` plus its place in the entry (spec/engine.md §1).
 */

import { z } from 'zod';
import { type Fact, fact } from './event.js';

/** The version this program writes. Older entries are brought up by `upcast`, newer ones stop the team. */
export const RECORD_VERSION = 6;

/** One command of an entry. */
export interface CommandMark {
  readonly id: string;
  readonly facts: number;
  /** The refusal it was told, when its facts are what was kept of a refused wish: said again, it hears the same. */
  readonly refused?: { readonly code: string; readonly message: string } | undefined;
  /** An operator's word in a team that is signed: whose it is (`team/operator-word.ts`). */
  readonly signed?: WordSignature | undefined;
}

/** An operator's signature over the facts of a command, where they stand. */
export interface WordSignature {
  readonly key_id: string;
  readonly signature: string;
}

export interface LogEntry {
  readonly v: number;
  /** Number of the first fact; the log begins at 1. */
  readonly first: number;
  /** Team time in milliseconds: how long processes have run this team (spec/engine.md §2 "Time"). */
  readonly at: number;
  /** Wall clock, ISO 8601, for people; never read by a decision. */
  readonly wall: string;
  /** Which command gave how many of the facts, in order. */
  readonly commands: readonly CommandMark[];
  readonly facts: readonly Fact[];
}

const commandMark = z.object({
  id: z.string().min(1),
  facts: z.number().int().min(0),
  refused: z.object({ code: z.string(), message: z.string() }).optional(),
  signed: z.object({ key_id: z.string(), signature: z.string() }).optional(),
});

/** The full schema, for `verify`, published schemas and tests; opening a log checks the envelope only. */
export const logEntry = z.object({
  v: z.literal(RECORD_VERSION),
  first: z.number().int().min(1),
  at: z.number().min(0),
  wall: z.iso.datetime(),
  commands: z.array(commandMark).min(1),
  facts: z.array(fact).min(1),
});

/** The number that the next entry's first fact must have. */
export function nextNumber(entry: LogEntry): number {
  return entry.first + entry.facts.length;
}
