/**
 * What two processes of one machine say to each other about a running team: one JSON line each way per connection
 * (spec/engine.md §1 "control socket"). A door: both sides check what they read.
 */

import { z } from 'zod';
import { statusView } from './status-schema.js';

export const controlRequest = z.discriminatedUnion('op', [
  z.object({ op: z.literal('answer'), request: z.string(), text: z.string() }),
  /** The late result of a brief is to count. */
  z.object({ op: z.literal('adopt'), brief: z.string() }),
  z.object({ op: z.literal('send'), to: z.string(), text: z.string() }),
  /** What state the process goes by, for `verify`; told to a program of the same version alone, as the next is. */
  z.object({ op: z.literal('state'), program: z.string() }),
  /** Where the team stands, as recorded. */
  z.object({ op: z.literal('status'), program: z.string() }),
  z.object({ op: z.literal('stop'), member: z.string().nullable(), force: z.boolean() }),
]);
export type ControlRequest = z.infer<typeof controlRequest>;

export const controlReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), text: z.string() }),
  /** Number that the next fact will have, and the digest of the whole state before it. */
  z.object({ kind: z.literal('state'), next: z.number().int(), sha256: z.string() }),
  /** `started`: wall clock, ISO 8601, of the first entry. */
  z.object({ kind: z.literal('status'), started: z.string(), view: statusView }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);
export type ControlReply = z.infer<typeof controlReply>;

/** Longest request, in bytes; mail is bounded far below. */
export const CONTROL_LINE_BYTES = 1024 * 1024;

/**
 * Longest reply, in bytes: it bounds what the caller holds in memory. A task takes some 300 of them in a status, one that
 * went through many reviews a few thousand: a board of ten thousand fits many times over.
 */
export const CONTROL_REPLY_BYTES = 64 * 1024 * 1024;

/** How long either side waits for the other, in milliseconds. */
export const CONTROL_DEADLINE_MS = 10_000;

/** How long a process is asked where its team stands before that is read off the record, in milliseconds. */
export const STATUS_DEADLINE_MS = 3_000;
