/**
 * Asks a model once. A failure that passes (429, 5xx, a cut connection) is not waited for here: the turn ends and
 * holds nothing until the model may be asked again (spec/team.md §9).
 */

import type { Model, ModelReply, ModelRequest } from '../models/model.js';
import type { Passage } from '../models/pacing.js';
import { assertNever } from '../shared/assert-never.js';

/** The way to a model, as one member goes it. What is told here is remembered for all who share the way. */
export interface Gate {
  /** Before a call is reserved: whether it may be made now. */
  enter(): Passage;
  /** Refused with 429; gives the milliseconds that this member has to wait. */
  refused(toldMs: number | null, said: string): number;
  /** No answer came (5xx, a cut connection); gives the milliseconds that this member has to wait. */
  unanswered(toldMs: number | null): number;
  answered(): void;
  /** Nothing came of it that says how the provider is. */
  left(): void;
}

/** The provider has to be left alone before the model is asked again. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly why: 'rate_limited' | 'unavailable';
  readonly waitMs: number;
  /** What the provider said. */
  readonly detail: string;
  /** Whether this member's own call was refused; false where the gate was closed before it asked. */
  readonly asked: boolean;
  /** As of the model's failure. */
  readonly perhapsUsed?: true;
}

export type Asked =
  | ModelReply
  | Waiting
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly error: string;
      readonly perhapsUsed?: true;
    };

/**
 * One answer, or why there is none. Never rejects.
 * @param watch told of each fragment of the answer as it comes, where somebody looks on
 */
export async function ask(
  model: Model,
  request: ModelRequest,
  gate: Gate,
  signal: AbortSignal,
  watch?: (fragment: string) => void,
): Promise<Asked> {
  const outcome = await model.generate(request, signal, watch);
  switch (outcome.kind) {
    case 'reply':
      gate.answered();
      return outcome;
    case 'rate_limited':
      return waiting(outcome.kind, gate.refused(outcome.retryAfterMs, outcome.message), outcome.message);
    case 'unavailable':
      return {
        ...waiting(outcome.kind, gate.unanswered(outcome.retryAfterMs), outcome.message),
        ...perhapsUsed(outcome),
      };
    case 'cancelled':
      gate.left();
      return outcome;
    case 'fatal':
      gate.left();
      return { kind: 'failed', code: outcome.code, error: outcome.message, ...perhapsUsed(outcome) };
    default:
      return assertNever(outcome, 'outcome of a model');
  }
}

function waiting(why: Waiting['why'], waitMs: number, detail: string): Waiting {
  return { kind: 'waiting', why, waitMs, detail, asked: true };
}

function perhapsUsed(failure: { readonly perhapsUsed?: true }): { readonly perhapsUsed?: true } {
  return failure.perhapsUsed === true ? { perhapsUsed: true } : {};
}
