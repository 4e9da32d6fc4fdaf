/**
 * Which dialect the files of a place are written in (spec/skills.md §2). The built-in tier is governed, the operator's
 * folders and projects are open, and a mission repository is what its mark says (`mission-mark.ts`).
 *
 * Always true: a source refuses a run with its errors only when it is governed *and* counts by where it lies; files of
 * a repository that was merely found can refuse nobody's run.
 */

import type { SkillPlace } from '../../catalog/tiers.js';

export const DIALECTS = ['open', 'governed'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The dialect of the files of a place, given that of the mission repository. */
export function dialectOf({ tier }: Pick<SkillPlace, 'tier'>, mission: Dialect): Dialect {
  if (tier === 'builtin') return 'governed';
  return tier === 'mission' ? mission : 'open';
}

/** Whether an error in a file of this place keeps a run from starting. */
export function isStrict(place: Pick<SkillPlace, 'tier' | 'approval'>, dialect: Dialect): boolean {
  return dialect === 'governed' && place.approval === null;
}
