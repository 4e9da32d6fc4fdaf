/**
 * The limits of a run: one table of names, defaults and least values (spec/team.md §1). A recipe may set any of
 * them; what they mean is the business of whoever enforces them.
 */

import { z } from 'zod';

/** Every limit with a value; bytes, minutes and US dollars as the name says, else a count. */
export interface Limits {
  readonly members: number;
  readonly concurrency: number;
  readonly turns: number;
  readonly turnMinutes: number;
  /** In a row, of one member. */
  readonly lostTurns: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** Null: no limit. */
  readonly costUsd: number | null;
  readonly wallMinutes: number;
  readonly messages: number;
  readonly mailBytes: number;
  readonly unreadBytes: number;
  readonly tasks: number;
  /** Of one member. */
  readonly openRequests: number;
  readonly callsPerReply: number;
  readonly callsPerTurn: number;
  readonly reviewRounds: number;
  readonly recordBytes: number;
}

/** What a recipe that sets nothing gets. */
export const DEFAULT_LIMITS: Limits = {
  members: 8,
  concurrency: 4,
  turns: 500,
  turnMinutes: 30,
  lostTurns: 3,
  modelCalls: 2_000,
  tokens: 5_000_000,
  costUsd: null,
  wallMinutes: 120,
  messages: 10_000,
  mailBytes: 32 * 1024,
  unreadBytes: 256 * 1024,
  tasks: 1_000,
  openRequests: 4,
  callsPerReply: 32,
  callsPerTurn: 100,
  reviewRounds: 3,
  recordBytes: 1024 ** 3,
};

const atLeastOne = z.int().min(1);
const countOrNone = z.int().min(0);
const minutes = z.number().gt(0);

/** `limits` as a recipe writes it. */
export const limitsFile = z.object({
  members: atLeastOne.optional(),
  concurrency: atLeastOne.optional(),
  turns: atLeastOne.optional(),
  turn_minutes: minutes.optional(),
  lost_turns: atLeastOne.optional(),
  model_calls: atLeastOne.optional(),
  tokens: atLeastOne.optional(),
  cost_usd: z.number().min(0).nullable().optional(),
  wall_minutes: minutes.optional(),
  messages: countOrNone.optional(),
  mail_bytes: atLeastOne.optional(),
  unread_bytes: atLeastOne.optional(),
  tasks: countOrNone.optional(),
  open_requests: atLeastOne.optional(),
  calls_per_reply: atLeastOne.optional(),
  calls_per_turn: atLeastOne.optional(),
  review_rounds: countOrNone.optional(),
  record_bytes: atLeastOne.optional(),
});

/** The limits of a recipe: what it sets, else the default. */
export function resolveLimits(written: z.infer<typeof limitsFile>): Limits {
  return {
    members: written.members ?? DEFAULT_LIMITS.members,
    concurrency: written.concurrency ?? DEFAULT_LIMITS.concurrency,
    turns: written.turns ?? DEFAULT_LIMITS.turns,
    turnMinutes: written.turn_minutes ?? DEFAULT_LIMITS.turnMinutes,
    lostTurns: written.lost_turns ?? DEFAULT_LIMITS.lostTurns,
    modelCalls: written.model_calls ?? DEFAULT_LIMITS.modelCalls,
    tokens: written.tokens ?? DEFAULT_LIMITS.tokens,
    costUsd: written.cost_usd ?? DEFAULT_LIMITS.costUsd,
    wallMinutes: written.wall_minutes ?? DEFAULT_LIMITS.wallMinutes,
    messages: written.messages ?? DEFAULT_LIMITS.messages,
    mailBytes: written.mail_bytes ?? DEFAULT_LIMITS.mailBytes,
    unreadBytes: written.unread_bytes ?? DEFAULT_LIMITS.unreadBytes,
    tasks: written.tasks ?? DEFAULT_LIMITS.tasks,
    openRequests: written.open_requests ?? DEFAULT_LIMITS.openRequests,
    callsPerReply: written.calls_per_reply ?? DEFAULT_LIMITS.callsPerReply,
    callsPerTurn: written.calls_per_turn ?? DEFAULT_LIMITS.callsPerTurn,
    reviewRounds: written.review_rounds ?? DEFAULT_LIMITS.reviewRounds,
    recordBytes: written.record_bytes ?? DEFAULT_LIMITS.recordBytes,
  };
}
