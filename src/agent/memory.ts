/**
 * A member's memory as the loop speaks of it: what was put in, what the model answered, what tools gave
 * (spec/engine.md §1). Where it is kept, and under which ids, is the caller's affair.
 */

export interface MemoryCall {
  /** The call's place in the memory: its key for ever, and the id the model is told (provider ids repeat). */
  readonly place: string;
  readonly tool: string;
  readonly arguments: unknown;
}

export type ResultOutcome = 'ok' | 'error' | 'denied' | 'interrupted' | 'cancelled' | 'expired';

export type MemoryEntry =
  | { readonly kind: 'opened' }
  | { readonly kind: 'input'; readonly messages: readonly string[]; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string; readonly calls: readonly MemoryCall[] }
  | {
      readonly kind: 'result';
      readonly place: string;
      readonly text: string;
      readonly outcome: ResultOutcome;
    }
  /** `text` is sent in place of all messages but the newest `kept`. */
  | {
      readonly kind: 'compacted';
      readonly kept: number;
      readonly text: string;
      /** The part of `text` that tells of what came before. */
      readonly summary: string;
    };
