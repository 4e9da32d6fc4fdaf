/** What `decide` answers: facts, or a refusal that says where, what was found, what is allowed, what to do. */

import type { Fact } from '../events/event.js';

export type Decision = Accepted | Refusal;

export interface Accepted {
  readonly kind: 'accepted';
  readonly facts: readonly Fact[];
}

export interface Refusal {
  readonly kind: 'refused';
  /** Stable snake_case code, e.g. `already_claimed`; may be compared. */
  readonly code: string;
  readonly message: string;
  /** Facts that keep the refused wish as evidence (a write under an ended attempt). */
  readonly evidence: readonly Fact[];
}

/** An accepted command; no facts means that it changes nothing. */
export function accepted(...facts: readonly Fact[]): Accepted {
  return { kind: 'accepted', facts };
}

/** A refused command. */
export function refused(code: string, message: string, evidence: readonly Fact[] = []): Refusal {
  return { kind: 'refused', code, message, evidence };
}
