/** `--safety` may only tighten the floor that is there (spec/team.md §3, invariant 14). */

import type { Safety } from '../../events/facts/frozen.js';
import type { Finding } from '../../shared/findings.js';

/** From tight to loose. */
const ORDER: readonly Safety[] = ['read-only', 'non-destructive', 'full'];

/** Whether a mode admits what another does not. */
export function isLooser(mode: Safety, than: Safety): boolean {
  return ORDER.indexOf(mode) > ORDER.indexOf(than);
}

/** Whose floor it is, for the refusal. */
export interface FloorOwner {
  readonly floor: string;
  readonly change: string;
}

const RECIPE: FloorOwner = { floor: "the recipe's floor", change: 'change the recipe' };

/** The safety mode of the run; a looser wish is refused with both named. */
export function tightenSafety(
  floor: Safety,
  wish: Safety | null,
  whose: FloorOwner = RECIPE,
): { readonly safety: Safety; readonly findings: readonly Finding[] } {
  if (wish === null || ORDER.indexOf(wish) <= ORDER.indexOf(floor))
    return { safety: wish ?? floor, findings: [] };
  const allowed = ORDER.slice(0, ORDER.indexOf(floor) + 1).join(', ');
  return {
    safety: floor,
    findings: [
      {
        code: 'safety-loosened',
        severity: 'error',
        path: '--safety',
        message: `--safety ${wish} is looser than ${whose.floor} ${floor}; allowed: ${allowed}`,
        remedy: `leave --safety out, tighten it, or ${whose.change}`,
      },
    ],
  };
}
