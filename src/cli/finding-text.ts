/**
 * One finding as a terminal shows it: one line, controls stripped; but the warning that a guarded rule was kept stands
 * there in the two lines of the public contract (spec/skills.md §3).
 */

import { type Finding, formatFinding } from '../shared/findings.js';
import { oneLine } from '../shared/terminal-text.js';
import { ruleKeptText } from '../skills/rule-guard.js';

/** The text without a line break at its end. */
export function findingText(finding: Finding): string {
  return contractText(finding) ?? oneLine(formatFinding(finding), Number.MAX_SAFE_INTEGER);
}

/** The lines that the contract gives word for word; null for a finding that has none. */
export function contractText(finding: Finding): string | null {
  const text = ruleKeptText(finding);
  if (text === null) return null;
  return text
    .split('\n')
    .map((line) => oneLine(line, Number.MAX_SAFE_INTEGER))
    .join('\n');
}
