/**
 * What two processes of one machine say to each other about a running team: one JSON line each way per connection
 * (spec/engine.md §1 "control socket"). A door: both sides check what they read.
 */

import { z } from 'zod';

export const controlRequest = z.discriminatedUnion('op', [
  z.object({ op: z.literal('answer'), request: z.string(), text: z.string() }),
  z.object({ op: z.literal('send'), to: z.string(), text: z.string() }),
  /** What state the process goes by, for `verify`. */
  z.object({ op: z.literal('state') }),
  z.object({ op: z.literal('stop'), member: z.string().nullable(), force: z.boolean() }),
]);
export type ControlRequest = z.infer<typeof controlRequest>;

export const controlReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), text: z.string() }),
  /** Number that the next fact will have, and the digest of the whole state before it. */
  z.object({ kind: z.literal('state'), next: z.number().int(), sha256: z.string() }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);
export type ControlReply = z.infer<typeof controlReply>;

/** Longest line either side reads, in bytes; mail is bounded far below. */
export const CONTROL_LINE_BYTES = 1024 * 1024;

/** How long either side waits for the other, in milliseconds. */
export const CONTROL_DEADLINE_MS = 10_000;
