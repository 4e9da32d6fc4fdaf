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
  }),
  z.object({
    id: z.string(),
    kind: z.literal('result'),
    place: z.string(),
    text: z.string(),
    /** How it ended, for people and for the model port's error flag. */
    outcome: z.enum(['ok', 'error', 'denied', 'interrupted', 'cancelled', 'expired']),
  }),
]);

export type TranscriptEntry = z.infer<typeof transcriptEntry>;

/** `<turn>-<k>`. */
export function transcriptId(turn: number, k: number): string {
  return `${turn}-${k}`;
}

/** The turn of a transcript id, or NaN when the text is not one. */
export function turnOf(id: string): number {
  return Number.parseInt(id, 10);
}
