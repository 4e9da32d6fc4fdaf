/** One digest of a whole state: two folds of the same facts have the same, whoever made them (invariant 7). */

import { sha256 } from '../shared/digest.js';
import type { TeamState } from './state.js';

/** SHA-256 (hex) of everything in the state; maps and sets count as lists, in their order. */
export function stateDigest(state: TeamState): string {
  return sha256(
    JSON.stringify(state, (_, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value,
    ),
  );
}
