/** How a turn over ACP has ended, in our words: by a reason to stop, or by an error of the protocol. */

import type { EngineerEnd } from './engineer.js';
import { sentence } from './said.js';

type Failure = Extract<EngineerEnd, { kind: 'failure' }>;

/** An end without its last words, which come on their own. */
export type AcpEnd =
  | { readonly kind: 'success' }
  | { readonly kind: 'failure'; readonly cause: Failure['cause']; readonly detail: string };

/** What the answer to the prompt says; a reason that is none of the protocol's is no success. */
export function endOfStop(reason: string | null): AcpEnd {
  switch (reason) {
    case 'end_turn':
      return { kind: 'success' };
    case 'max_tokens':
      return failure('unfinished', 'it stopped at the most tokens of an answer (max_tokens)');
    case 'max_turn_requests':
      return failure('max_turns', 'it came to its limit of requests to the model (max_turn_requests)');
    case 'refusal':
      return failure('engineer_error', 'it refuses to go on (refusal)');
    case 'cancelled':
      return failure('unfinished', 'it says that its turn was cancelled, which nobody here has done');
    default:
      return failure(
        'unfinished',
        reason === null ? 'its answer gives no reason to stop' : sentence(`it stopped for ${reason}`),
      );
  }
}

/** What its error says: the protocol has one code of its own for a login; the others are those of the provider, or words. */
export function endOfError(code: number, message: string, during: string): AcpEnd {
  const words = sentence(message) || `error ${code}`;
  return failure(causeOf(code, message), `${words} (${during})`);
}

const AUTH_REQUIRED = -32_000;

function causeOf(code: number, message: string): Failure['cause'] {
  if (code === AUTH_REQUIRED || code === 401 || code === 403) return 'auth';
  if (/api.?key|unauthenticated|authenticat|not logged in/i.test(message)) return 'auth';
  if (code === 402 || code === 429 || /quota|rate.?limit|credit balance/i.test(message)) return 'quota';
  return (code >= 500 && code < 600) || code === 404 || code === 408 ? 'api_error' : 'engineer_error';
}

export function failure(cause: Failure['cause'], detail: string): AcpEnd {
  return { kind: 'failure', cause, detail };
}
