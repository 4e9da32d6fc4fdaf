/**
 * Facts about briefs: orders to an engineer that is another program (spec/runner.md). A brief is named by team, task,
 * attempt and offer; what it says and what came of it are blobs, named here by their SHA-256 and written before the entry
 * that names them.
 *
 * The record has its own list of ends and causes: it keeps what this program has written for good, whatever a later
 * form of a result says.
 */

import { z } from 'zod';
import { ridingEntry, safety } from './frozen.js';

/** How a brief ended. `completed` only when envelope, process and verification all say so. */
export const briefEnd = z.enum([
  'completed',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'malformed',
  'refused',
]);
export type BriefEnd = z.infer<typeof briefEnd>;

/** Why it was not completed; the last is the record's own: the runner took another block of skills than was sent. */
export const briefCause = z.enum([
  'api_error',
  'auth',
  'quota',
  'crashed',
  'spawn_failed',
  'no_start',
  'output_limit',
  'no_result',
  'unfinished',
  'max_turns',
  'max_budget',
  'engineer_error',
  'verify_failed',
  'result_too_large',
  'missing_artifacts',
  'escaped',
  'workspace',
  'disk_full',
  'lost',
  'refused',
  'block_mismatch',
]);
export type BriefCause = z.infer<typeof briefCause>;

/** Steps of a runner in their order, each said when it begins; `stalled`: its engineer has said nothing for too long. */
export const briefStep = z.enum(['accepted', 'workspace', 'engineer', 'verifying', 'reported', 'stalled']);
export type BriefStep = z.infer<typeof briefStep>;

export const verified = z.object({
  key: z.string(),
  outcome: z.enum(['passed', 'failed', 'timed_out', 'cancelled', 'not_started']),
});

const fileOfRunner = z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string() });

export const briefFacts = [
  /** The brief may be taken from here on, and all that it may cost is reserved. */
  z.object({
    type: z.literal('brief.sent'),
    brief: z.string(),
    /** The member that delegates. */
    member: z.string(),
    task: z.string(),
    attempt: z.number().int(),
    /** 1 for the first brief of an attempt. */
    offer: z.number().int(),
    /** The signed brief. */
    text: z.string(),
    bytes: z.number().int(),
    engineer: z.object({ kind: z.string(), model: z.string().nullable() }),
    safety,
    pool: z.string().nullable(),
    /** The commit that the work starts from, and the branch on which it is delivered. */
    base: z.string(),
    branch: z.string(),
    /** Keys of the recipe's commands that check the reported commit. */
    verify: z.array(z.string()),
    wall_minutes: z.number(),
    turns: z.number().int().nullable(),
    /** US dollars; null: none, where the team has no limit of costs. */
    cost_usd: z.number().nullable(),
    /** SHA-256 of the block of skills as it is composed from the brief alone. */
    sent_block: z.string(),
    entries: z.array(ridingEntry),
  }),
  /** A runner has taken it: work begins with this fact. */
  z.object({
    type: z.literal('brief.accepted'),
    brief: z.string(),
    runner: z.string(),
    key_id: z.string(),
    engineer_version: z.string().nullable(),
    sent_block: z.string(),
    /** Of the block as the engineer gets it, with what the runner has added. */
    final_block: z.string(),
    additions: z.array(ridingEntry),
    /** What this runner does not do: `submodules`, `lfs`. */
    without: z.array(z.string()),
    /** Settings of the target repository itself are in effect. */
    project_settings: z.boolean(),
  }),
  z.object({
    type: z.literal('brief.progress'),
    brief: z.string(),
    step: briefStep,
    detail: z.string().nullable(),
  }),
  /** From here on nothing that it brings counts. It ends when the runner has said so, or is gone. */
  z.object({
    type: z.literal('brief.cancel_requested'),
    brief: z.string(),
    by: z.string(),
    reason: z.string(),
    /** What its task becomes once the brief has ended, with these words; null: what the board says without it. */
    becomes: z.enum(['cancelled', 'failed']).nullable(),
    detail: z.string().nullable(),
  }),
  /** Its commits lie in the workspace repository, checked, before this fact. */
  z.object({
    type: z.literal('brief.delivered'),
    brief: z.string(),
    branch: z.string(),
    head: z.string(),
    commits: z.number().int(),
  }),
  /** Gives back what was reserved and books what was used. */
  z.object({
    type: z.literal('brief.ended'),
    brief: z.string(),
    status: briefEnd,
    cause: briefCause.nullable(),
    detail: z.string().nullable(),
    /** The signed result; null: there is none. */
    result: z.string().nullable(),
    head: z.string().nullable(),
    usage: z.object({
      input_tokens: z.number().int(),
      cached_tokens: z.number().int(),
      output_tokens: z.number().int(),
      turns: z.number().int(),
    }),
    cost_usd: z.number().nullable(),
    /** Nobody said what it cost: the whole that was reserved is booked. */
    estimated: z.boolean(),
    verify: z.array(verified),
    /** Changed files under the globs of `protect`, and files that were changed and not committed. */
    protected: z.array(z.string()),
    uncommitted: z.array(z.string()),
    final_block: z.string().nullable(),
    transcript: fileOfRunner.nullable(),
  }),
  /** A result that came when the brief had been given up counts after all. What was booked at its end stays booked. */
  z.object({
    type: z.literal('brief.adopted'),
    brief: z.string(),
    by: z.string(),
    /** The signed result, which was kept as evidence before. */
    result: z.string(),
    /** Its attempt had ended, and goes on under its own number: its member holds the task again. */
    revives: z.boolean(),
  }),
  /** A word about a brief that came late, twice, or from nobody who may say it: kept for people, decides nothing. */
  z.object({
    type: z.literal('brief.evidence'),
    brief: z.string(),
    code: z.string(),
    detail: z.string(),
    result: z.string().nullable(),
  }),
] as const;
