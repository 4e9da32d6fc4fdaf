/**
 * Whether a permission rule speaks of a call (spec/team.md §3).
 *
 * A pattern is literal text in which `*` stands for any run of characters. For `shell_exec` an allow rule holds
 * only for a line that is one simple command: whatever could start a second one is outside every allow. Deny and
 * ask look at the line and at each of its parts, so that a second command cannot hide behind a harmless first.
 */

import type { PermissionRule } from '../events/facts/frozen.js';

/** Anything by which a shell line is more than one simple command. */
const NOT_SIMPLE = /[;&|<>()`$\\\n\r\u0000{}]/;

/** Where a line may begin another command. */
const PARTS = /[;&|()`\n\r{}]|\$\(/;

/** Whether the rule matches a call of this tool about this subject. */
export function ruleMatches(rule: PermissionRule, tool: string, subject: string): boolean {
  if (rule.tool !== tool && rule.tool !== '*') return false;
  if (rule.match === null)
    return rule.decision !== 'allow' || tool !== 'shell_exec' || !NOT_SIMPLE.test(subject);
  const pattern = wildcard(rule.match);
  if (tool !== 'shell_exec') return pattern.test(subject);
  const line = subject.trim();
  if (rule.decision === 'allow') return !NOT_SIMPLE.test(line) && pattern.test(line);
  const parts = [line, ...line.split(PARTS)].map((part) => part.trim().replace(/[ \t]+/g, ' '));
  return pattern.test(line) || parts.some((part) => pattern.test(part));
}

/** `*` is any run of characters, everything else is literal. */
function wildcard(match: string): RegExp {
  const source = match
    .split('*')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${source}$`);
}
