/**
 * What a runner and the program that gave it a brief say to each other over pipes: one JSON object a line (spec/runner.md
 * §3). Upwards the first line is the brief itself, and the end of the pipe means that nobody is there any more.
 *
 * A result is never only a line: it lies in the outbox first, and the line says that it does. So what is taken from a
 * runner that lives and from one that has died goes one way (`outbox.ts`).
 */

import { z } from 'zod';
import { named } from '../brief/brief.js';

/** Steps in their order; each is said when it begins. */
export const STEPS = ['accepted', 'workspace', 'engineer', 'verifying', 'reported'] as const;
export type Step = (typeof STEPS)[number];

const common = { v: z.literal(1), brief: z.string() };

/** The runner has taken the brief; signed, since the record keeps who promised what. */
export const acceptedLine = z.strictObject({
  ...common,
  type: z.literal('accepted'),
  runner: z.string(),
  at: z.string(),
  engineer: z.strictObject({ kind: z.string(), version: z.string().nullable() }),
  /** Digests of the block as it was sent and as the engineer gets it, and what the runner has added. */
  sent_block: z.string(),
  final_block: z.string(),
  additions: z.array(named),
  /** What this runner does not do: `submodules`, `lfs`. */
  without: z.array(z.string()),
  project_settings: z.boolean(),
  key_id: z.string(),
  signature: z.string(),
});
export type AcceptedLine = z.infer<typeof acceptedLine>;

/** Lines of a runner. */
export const runnerLine = z.discriminatedUnion('type', [
  acceptedLine,
  z.strictObject({ ...common, type: z.literal('step'), step: z.enum(STEPS), at: z.string() }),
  /** What the engineer does, at most one a second; untrusted. */
  z.strictObject({
    ...common,
    type: z.literal('activity'),
    text: z.string(),
    turns: z.int().min(0),
    at: z.string(),
  }),
  /** No event of the engineer for so long; said again by the next activity being over it. */
  z.strictObject({ ...common, type: z.literal('stalled'), idle_ms: z.int().min(0), at: z.string() }),
  /** The result lies in the outbox. */
  z.strictObject({ ...common, type: z.literal('result'), at: z.string() }),
]);
export type RunnerLine = z.infer<typeof runnerLine>;

/** Lines to a runner, behind the brief. */
export const ordererLine = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.literal('cancel'),
    reason: z.string(),
    key_id: z.string(),
    signature: z.string(),
  }),
  /** The result is in the record: it may go from the outbox. */
  z.strictObject({ ...common, type: z.literal('acknowledged') }),
]);
export type OrdererLine = z.infer<typeof ordererLine>;
