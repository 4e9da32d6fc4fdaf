/**
 * Transcript entries: one member's memory of what went into a model, what it answered, what tools gave
 * (spec/engine.md §1, §2). Not numbered facts; ids are `<turn>-<k>` with k from 0 in each turn.
 */

import { z } from 'zod';

const transcriptCall = z.object({
  /** `<turn>-<k>.<index>`: the key of everything that follows from this call. */
  place: z.string(),
  tool: z.string(),
  /** Arguments as the model gave them; an object when they parsed, else the raw text. */
  arguments: z.unknown(),
});

/**
 * What a recorded model was sent (spec/team.md §9): SHA-256 of its parts as JSON, the definitions of tools kept as a
 * blob, and what is known of the model's window.
 */
const sent = z.object({
  system_sha256: z.string(),
  messages_sha256: z.string(),
  tools_sha256: z.string(),
  max_output_tokens: z.number().int(),
  context_tokens: z.number().int().nullable(),
  longest_answer: z.number().int().nullable(),
});
export type SentProof = z.infer<typeof sent>;

export const transcriptEntry = z.discriminatedUnion('kind', [
  /** `team` binds the memory to its team: ids and places are the same in every team. */
  z.object({ id: z.string(), kind: z.literal('opened'), team: z.string(), member: z.string() }),
  /** Rendered messages put into the conversation, oldest first, with the ids of the mail they hold. */
  z.object({ id: z.string(), kind: z.literal('input'), messages: z.array(z.string()), text: z.string() }),
  z.object({
    id: z.string(),
    kind: z.literal('reply'),
    text: z.string(),
    calls: z.array(transcriptCall),
    model: z.string(),
    input_tokens: z.number().int(),
    cached_tokens: z.number().int(),
    output_tokens: z.number().int(),
    stop: z.string(),
    /** Only where the model is recorded. */
    sent: sent.optional(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal('result'),
    place: z.string(),
    text: z.string(),
    /** How it ended, for people and for the model port's error flag. */
    outcome: z.enum(['ok', 'error', 'denied', 'interrupted', 'cancelled', 'expired']),
    /** Only where the model is recorded: the number that the next fact had when the call was run. */
    seen: z.number().int().optional(),
  }),
  /**
   * The memory was compacted (spec/team.md §9): `text` is what is sent in place of every message up to entry `upto`;
   * the newest `kept` messages stand behind it as they were.
   */
  z.object({
    id: z.string(),
    kind: z.literal('compacted'),
    upto: z.string(),
    kept: z.number().int().min(0),
    text: z.string(),
    /** The untrusted part of `text`, as it was written. */
    summary: z.string(),
    /** The model that wrote the summary; null: it was made of the old messages without one. */
    model: z.string().nullable(),
    /** The mark of the least trusted text that the summary was made of. */
    trust: z.enum(['own', 'agents', 'tools', 'reference']),
    /** Only where the model is recorded and was asked: the question and its whole answer. */
    asked: z
      .object({
        question: z.string(),
        answer: z.string(),
        stop: z.string(),
        input_tokens: z.number().int(),
        cached_tokens: z.number().int(),
        output_tokens: z.number().int(),
        sent,
      })
      .optional(),
  }),
]);

export type TranscriptEntry = z.infer<typeof transcriptEntry>;

/** Where text comes from, the most trusted first: own words, other agents, tools (files, commands, pages), reference. */
export type MemoryTrust = Extract<TranscriptEntry, { kind: 'compacted' }>['trust'];

/** `<turn>-<k>`. */
export function transcriptId(turn: number, k: number): string {
  return `${turn}-${k}`;
}

/** The turn of a transcript id, or NaN when the text is not one. */
export function turnOf(id: string): number {
  return Number.parseInt(id, 10);
}
