/**
 * Whether a permission rule speaks of a call (spec/team.md §3).
 *
 * A pattern is literal text in which `*` stands for any run of characters. For `shell_exec` an allow rule holds
 * only for a line that is one simple command: whatever could start a second one is outside every allow. Deny and
 * ask look at the line and at each of its parts, so that a second command cannot hide behind a harmless first.
 */

import type { PermissionRule } from '../events/facts/frozen.js';
import { matchesWildcard } from '../shared/wildcard.js';

/** Anything by which a shell line is more than one simple command. */
const NOT_SIMPLE = /[;&|<>()`$\\\n\r\u0000{}]/;

/** Where a line may begin another command. */
const PARTS = /[;&|()`\n\r{}]|\$\(/;

/** Whether the rule matches a call of this tool about this subject. */
export function ruleMatches(rule: PermissionRule, tool: string, subject: string): boolean {
  if (rule.tool !== tool && rule.tool !== '*') return false;
  const { match } = rule;
  if (match === null) return rule.decision !== 'allow' || tool !== 'shell_exec' || isSimpleCommand(subject);
  if (tool !== 'shell_exec') return matchesWildcard(match, subject);
  const line = subject.trim();
  if (rule.decision === 'allow') return isSimpleCommand(line) && matchesWildcard(match, line);
  return [line, ...commandParts(line)].some((part) => matchesWildcard(match, part));
}

/** Whether a shell line, or the text of a pattern about one, is one command without anything a shell expands. */
export function isSimpleCommand(line: string): boolean {
  return !NOT_SIMPLE.test(line);
}

/** The line in one piece and cut wherever another command may begin, blanks narrowed. */
export function commandParts(line: string): string[] {
  return [line, ...line.split(PARTS)].map((part) => part.trim().replace(/[ \t]+/g, ' '));
}
