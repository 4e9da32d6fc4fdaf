/**
 * The one warning that the public contract gives word for word (spec/skills.md §3): its code, and its two lines for a
 * terminal. `skills/` finds it, `runtime/` hands it on, `cli/` writes it without loading what finds it.
 */

import type { Finding } from './findings.js';

/** The code of the warning that a guarded rule was kept. */
export const RULE_KEPT = 'rule-kept';

/**
 * The warning in the words of the public contract, two lines, for terminals; null for any other finding.
 *
 *     Warning: project "k8s-security" declares kind "skill" but "k8s-security" is a
 *       built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)
 */
export function ruleKeptText({ code, message, remedy }: Finding): string | null {
  if (code !== RULE_KEPT) return null;
  const lines = message.replace(
    / is a (built-in|global) rule; keeping the \1 rule$/,
    ' is a\n  $1 rule; keeping the $1 rule',
  );
  return `Warning: ${lines} (${remedy})`;
}
