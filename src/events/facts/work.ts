/** Facts about the board, mail, plans and requests. */

import { z } from 'zod';
import { taskSpec } from './frozen.js';

const blockReason = z.enum(['needs_input', 'capability', 'transient', 'upstream_failed', 'limit']);
export type BlockReason = z.infer<typeof blockReason>;

const evidence = z.object({ item: z.string(), text: z.string() });

/** Tasks are `#1`, `#2`, …; `attempt` is the fence of a claim and starts at 1. */
export const taskFacts = [
  z.object({ type: z.literal('task.created'), task: z.string(), by: z.string(), spec: taskSpec }),
  z.object({
    type: z.literal('task.updated'),
    task: z.string(),
    by: z.string(),
    subject: z.string().nullable(),
    description: z.string().nullable(),
    role: z.string().nullable(),
    add_blocked_by: z.array(z.string()),
    remove_blocked_by: z.array(z.string()),
  }),
  z.object({
    type: z.literal('task.claimed'),
    task: z.string(),
    member: z.string(),
    attempt: z.number().int(),
  }),
  /** The attempt ended without a verdict on the task, which is pending again. */
  z.object({
    type: z.literal('task.released'),
    task: z.string(),
    member: z.string(),
    attempt: z.number().int(),
    reason: z.enum(['released', 'stopped', 'no_progress', 'crashed', 'member_failed']),
    detail: z.string().nullable(),
  }),
  z.object({
    type: z.literal('task.blocked'),
    task: z.string(),
    by: z.string(),
    attempt: z.number().int().nullable(),
    reason: blockReason,
    on: z.array(z.string()),
    detail: z.string(),
  }),
  z.object({
    type: z.literal('task.submitted'),
    task: z.string(),
    member: z.string(),
    attempt: z.number().int(),
    summary: z.string(),
    evidence: z.array(evidence),
    artifacts: z.array(z.string()),
    /** Sizes of the artifacts together, for who watches how work grows from round to round; null when not looked at. */
    artifact_bytes: z.number().int().nullable(),
    evidence_digest: z.string(),
  }),
  z.object({
    type: z.literal('task.reviewed'),
    task: z.string(),
    attempt: z.number().int(),
    role: z.string(),
    member: z.string(),
    /** `inconclusive`: the reviewer was cut off by a limit; it counts neither way. */
    verdict: z.enum(['approve', 'request_changes', 'inconclusive']),
    findings: z.string(),
    evidence_digest: z.string(),
  }),
  z.object({
    type: z.literal('task.completed'),
    task: z.string(),
    member: z.string(),
    attempt: z.number().int(),
    summary: z.string(),
    evidence: z.array(evidence),
    artifacts: z.array(z.string()),
  }),
  z.object({
    type: z.literal('task.failed'),
    task: z.string(),
    by: z.string(),
    attempt: z.number().int().nullable(),
    cause: z.enum([
      'no_progress',
      'crashed',
      'member_failed',
      'lost',
      'upstream_failed',
      'lead',
      'abandoned',
    ]),
    detail: z.string(),
  }),
  z.object({ type: z.literal('task.cancelled'), task: z.string(), by: z.string(), detail: z.string() }),
  /** A failed, cancelled or blocked task is pending again. */
  z.object({ type: z.literal('task.reopened'), task: z.string(), by: z.string() }),
  /** A write under an ended attempt: refused, kept as evidence (invariant 2). */
  z.object({
    type: z.literal('write.refused'),
    task: z.string(),
    member: z.string(),
    attempt: z.number().int(),
    code: z.string(),
    /** What the writer was told. */
    detail: z.string(),
    /** What it wanted to report. */
    summary: z.string(),
  }),
] as const;

/**
 * `prompt` the operator's order, `operator` a later word of theirs, `mail` from a member, the rest from the
 * runtime: `idle` notices, `nudge`, `offer` of a task, `entries` that come with a task which was claimed without an
 * offer, `report` of what happened to a task or member, `progress` of a brief, which is only read along.
 */
const messageKind = z.enum([
  'prompt',
  'operator',
  'mail',
  'idle',
  'nudge',
  'offer',
  'entries',
  'report',
  'progress',
]);
export type MessageKind = z.infer<typeof messageKind>;

/** Messages are `m1`, `m2`, …. One fact per message, whoever it goes to; the body is stored once. */
export const mailFacts = [
  z.object({
    type: z.literal('mail.sent'),
    id: z.string(),
    kind: messageKind,
    /** A member's name, the name of the operator, or `runtime`; who it is, `kind` says. */
    from: z.string(),
    to: z.array(z.string()),
    body: z.string(),
    task: z.string().nullable(),
  }),
  /** The model has answered an input that held these texts. */
  z.object({
    type: z.literal('mail.delivered'),
    member: z.string(),
    turn: z.number().int(),
    messages: z.array(z.object({ id: z.string(), waited_ms: z.number().int() })),
    /** Messages that were in an input before a crash and were not put in a second time. */
    suppressed: z.array(z.string()),
  }),
  /** A message that can never be consumed; its sender was told. */
  z.object({
    type: z.literal('mail.dead'),
    id: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.enum(['unknown', 'stopped']),
    body: z.string().nullable(),
  }),
  z.object({ type: z.literal('mail.expired'), member: z.string(), ids: z.array(z.string()) }),
] as const;

const requestKind = z.enum(['confirmation', 'question', 'plan', 'gate']);
export type RequestKind = z.infer<typeof requestKind>;

const decider = z.object({
  /** `operator`, `lead`, or `policy` for a rule or flag; never a model's text (spec/team.md §3). */
  kind: z.enum(['operator', 'lead', 'policy']),
  /** The rule, flag or person, for people to read. */
  name: z.string(),
});
export type Decider = z.infer<typeof decider>;

/** Requests are `r1`, `r2`, …. */
export const requestFacts = [
  z.object({
    type: z.literal('request.opened'),
    request: z.string(),
    kind: requestKind,
    member: z.string(),
    /** Place of the call that waits, `<turn>-<k>.<index>`. */
    place: z.string(),
    /** Who may decide it. */
    principals: z.array(z.enum(['operator', 'lead'])),
    /** Of exactly what would run (confirmation), was asked (question), or is planned (plan). */
    digest: z.string(),
    tool: z.string(),
    class: z.enum(['read', 'write', 'destructive']).nullable(),
    /** Whole arguments as JSON text. */
    arguments: z.string(),
    /** One line for people: the command, the question, the plan's head. */
    summary: z.string(),
    /** What the member last said, for `explain`. */
    context: z.string().nullable(),
    policy: z.string(),
    /** What `always` would allow this member from here on, a pattern of the tool; null: it may not be said. */
    always: z.string().nullable(),
    /** The task that a gate request is about; null for the others. */
    task: z.string().nullable(),
    expires_ms: z.number().int().nullable(),
  }),
  z.object({
    type: z.literal('request.decided'),
    request: z.string(),
    decision: z.enum(['approve', 'deny', 'revise', 'answer', 'skip']),
    text: z.string().nullable(),
    /** Of what the decider was shown; null: the request itself showed it. */
    digest: z.string().nullable(),
    by: decider,
  }),
  /** The decider has said `always`: calls of this tool that match are this member's until the run ends. */
  z.object({
    type: z.literal('permission.granted'),
    member: z.string(),
    tool: z.string(),
    match: z.string().nullable(),
    request: z.string(),
    by: decider,
  }),
  z.object({ type: z.literal('request.expired'), request: z.string() }),
  z.object({ type: z.literal('request.withdrawn'), request: z.string(), reason: z.string() }),
] as const;

/** A plan's version starts at 1 for each member; its digest is the SHA-256 of the text. */
export const planFacts = [
  z.object({
    type: z.literal('plan.submitted'),
    member: z.string(),
    version: z.number().int(),
    digest: z.string(),
    text: z.string(),
    request: z.string(),
  }),
  z.object({
    type: z.literal('plan.decided'),
    member: z.string(),
    version: z.number().int(),
    digest: z.string(),
    decision: z.enum(['approve', 'revise']),
    feedback: z.string().nullable(),
    by: decider,
  }),
] as const;
