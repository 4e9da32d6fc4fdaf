/** `--safety` may only tighten the recipe's floor (spec/team.md §3, invariant 14). */

import type { Safety } from '../../events/facts/frozen.js';
import type { Finding } from '../../shared/findings.js';

/** From tight to loose. */
const ORDER: readonly Safety[] = ['read-only', 'non-destructive', 'full'];

/** The safety mode of the run; a looser wish is refused with both named. */
export function tightenSafety(
  floor: Safety,
  wish: Safety | null,
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
        message: `--safety ${wish} is looser than the recipe's floor ${floor}; allowed: ${allowed}`,
        remedy: 'leave --safety out, tighten it, or change the recipe',
      },
    ],
  };
}
