/**
 * Asks a model once, and again when the failure is one that passes (429, 5xx, a cut connection), with jittered
 * waits that obey the signal. Failures that would come again are given back at once.
 */

import type { Model, ModelReply, ModelRequest } from '../models/model.js';
import { sleep } from '../shared/abort.js';
import { CancelledError } from '../shared/errors.js';

export type Asked =
  | ModelReply
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly code: string; readonly error: string };

/** Tries in all; with the waits below a passing fault of about half a minute is outlived. */
const TRIES = 6;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/** One answer, or why there is none. Never rejects. */
export async function ask(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  random: () => number = Math.random,
): Promise<Asked> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await model.generate(request, signal);
    switch (outcome.kind) {
      case 'reply':
      case 'cancelled':
        return outcome;
      case 'fatal':
        return { kind: 'failed', code: outcome.code, error: outcome.message };
      case 'rate_limited':
      case 'unavailable': {
        if (attempt === TRIES) return { kind: 'failed', code: outcome.kind, error: outcome.message };
        const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
        const told = outcome.kind === 'rate_limited' ? outcome.retryAfterMs : null;
        try {
          await sleep((told ?? backoff) * (1 + random() / 4), signal);
        } catch (error) {
          if (error instanceof CancelledError) return { kind: 'cancelled' };
          throw error;
        }
      }
    }
  }
}
