/**
 * Rules that no file may turn into a skill (spec/skills.md §3): the built-in ones, and a global rule of the operator
 * that is always on. Such text is always there and nobody is watching it, so a skill of its name would make it
 * disappear from every prompt unnoticed. The rule is kept and a warning says so.
 */

import { OWN_RULES_FOLDER, type Tree } from '../../catalog/tiers.js';
import type { Finding } from '../../shared/findings.js';
import { RULE_KEPT } from '../../shared/rule-kept.js';
import type { EntryHead } from '../entry.js';

export { RULE_KEPT, ruleKeptText } from '../../shared/rule-kept.js';

/** Whose rule is guarded. */
export type Guard = 'built-in' | 'global';

/** The guard that an entry puts on its name. */
export function guardOf({ kind, tier, alwaysOn }: EntryHead): Guard | null {
  if (kind !== 'rule') return null;
  if (tier === 'builtin') return 'built-in';
  return tier === 'global' && alwaysOn ? 'global' : null;
}

/** The warning on a skill that did not replace a guarded rule. */
export function ruleKept({ tier, name, path }: EntryHead, tree: Tree, guard: Guard): Finding {
  return {
    code: RULE_KEPT,
    severity: 'warning',
    path,
    message: `${tier} "${name}" declares kind "skill" but "${name}" is a ${guard} rule; keeping the ${guard} rule`,
    remedy:
      tree === 'claude'
        ? `rename it, or move it to ${OWN_RULES_FOLDER}`
        : 'rename it, or use kind: rule to override',
  };
}
