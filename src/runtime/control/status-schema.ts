/**
 * The form of a status between two processes, field for field in the order of `team/show/status.ts`. What is projected
 * there has to fit in here, and what was read here is shown as one of there: the compiler checks both ways.
 */

import { z } from 'zod';
import { briefCause, briefEnd, briefStep } from '../../events/facts/briefs.js';
import { limits } from '../../events/facts/frozen.js';

const text = z.string();
const mayBeText = text.nullable();
const texts = z.array(text).readonly();
const count = z.number();

const member = z.object({
  name: text,
  role: text,
  state: z.enum(['idle', 'working', 'parked', 'waiting', 'errored', 'stopped']),
  detail: mayBeText,
  wait: z
    .object({
      provider: text,
      why: z.enum(['rate_limited', 'unavailable', 'budget']),
      left_ms: count,
      detail: text,
    })
    .nullable(),
  turn: z
    .object({
      number: count,
      host: mayBeText,
      worker: mayBeText,
      age_ms: count,
      held: z.boolean().nullable(),
    })
    .nullable(),
  model: text,
  turns: count,
  unread: count,
  tasks: texts,
});

const submission = z.object({
  evidence_digest: text,
  artifact_bytes: count.nullable(),
  grown_by: count.nullable(),
  verdicts: z
    .array(
      z.object({
        role: text,
        member: text,
        verdict: z.enum(['approve', 'request_changes', 'inconclusive']),
      }),
    )
    .readonly(),
});

const task = z.object({
  id: text,
  subject: text,
  state: z.enum(['pending', 'claimed', 'blocked', 'in_review', 'completed', 'failed', 'cancelled']),
  role: mayBeText,
  owner: mayBeText,
  attempt: count,
  waiting_on: texts,
  flag: z.enum(['no_progress', 'crashed']).nullable(),
  blocked: z
    .object({
      reason: z.enum(['needs_input', 'capability', 'transient', 'upstream_failed', 'limit']),
      on: texts,
      detail: text,
    })
    .nullable(),
  ended: z.object({ cause: text, detail: text }).nullable(),
  review: z
    .object({
      rounds: count,
      limit: count.nullable(),
      evidence_digest: mayBeText,
      waits_for: texts,
      gate: mayBeText,
      submissions: z.array(submission).readonly(),
    })
    .nullable(),
  brief: mayBeText,
  delivered: z.object({ attempt: count, branch: text, head: text }).nullable(),
});

const request = z.object({
  id: text,
  kind: z.enum(['confirmation', 'question', 'plan', 'gate']),
  member: text,
  state: z.enum(['open', 'decided', 'expired', 'withdrawn']),
  principals: texts,
  tool: text,
  class: mayBeText,
  summary: text,
  arguments: text,
  context: mayBeText,
  policy: text,
  digest: text,
  always: mayBeText,
  task: mayBeText,
  opened_ms: count,
  expires_ms: count.nullable(),
  left_ms: count.nullable(),
  decision: mayBeText,
  by: mayBeText,
});

const brief = z.object({
  id: text,
  task: text,
  attempt: count,
  offer: count,
  member: text,
  engineer: text,
  model: mayBeText,
  state: z.enum(['sent', 'running', 'cancelling', 'ended']),
  runner: mayBeText,
  step: briefStep.nullable(),
  detail: mayBeText,
  status: briefEnd.nullable(),
  cause: briefCause.nullable(),
  age_ms: count,
  still_ms: count,
  cost_usd: count.nullable(),
  activity: z.object({ text, turns: count, ago_ms: count }).nullable(),
});

export const statusView = z.object({
  v: z.literal(1),
  team: text,
  recipe: text,
  phase: z.enum(['absent', 'running', 'finishing', 'stopping', 'ended', 'archived']),
  reason: mayBeText,
  exit: count.nullable(),
  waiting: texts,
  members: z.array(member).readonly(),
  workspace: z.object({ host: mayBeText, commit: mayBeText }).nullable(),
  tasks: z.array(task).readonly(),
  requests: z.array(request).readonly(),
  briefs: z.array(brief).readonly(),
  mail: z.object({
    sent: count,
    unread: count,
    delivered: count,
    dead: count,
    expired: count,
    redeliveries_suppressed: count,
  }),
  dead_letters: z
    .array(z.object({ id: text, from: text, to: text, reason: z.enum(['stopped', 'unknown']), line: text }))
    .readonly(),
  budget: z.object({
    turns: count,
    model_calls: count,
    input_tokens: count,
    output_tokens: count,
    cost_usd: count.nullable(),
    estimated_tokens: count,
    estimated_cost_usd: count,
    reserved_tokens: count,
    reserved_cost_usd: count,
    elapsed_ms: count,
    limits: limits.nullable(),
  }),
});
