/**
 * Findings as a terminal shows them: a line each, controls stripped, from the least to the worst. Two kinds have words of the public contract: the
 * warning that a guarded rule was kept, in two lines (spec/skills.md §3), and that a file is not used (spec/team.md §1).
 */

import { isAbsolute, relative } from 'node:path';
import { UNTRUSTED } from '../../catalog/trust.js';
import { type Finding, formatFinding } from '../../shared/findings.js';
import { ruleKeptText } from '../../shared/rule-kept.js';
import { oneLine, plainHead } from '../../shared/terminal-text.js';
import { shownFrom } from '../findings/place.js';

/**
 * A text for each finding, each once: files that are not used, remarks, warnings, errors, so that an error does not
 * drown in what stands around it. Paths are shown as they are typed in this directory.
 */
export function findingLines(findings: readonly Finding[], workingDirectory: string): readonly string[] {
  const sorted = [...findings].sort((one, other) => weight(one) - weight(other));
  return [...new Set(sorted.map((finding) => findingText(finding, workingDirectory)))];
}

const WEIGHTS = { info: 1, warning: 2, error: 3 } as const;

function weight(finding: Finding): number {
  return isUnused(finding) ? 0 : WEIGHTS[finding.severity];
}

/** The text without a line break at its end; what says more stands beneath, behind a left mark. */
export function findingText(finding: Finding, workingDirectory: string): string {
  const path = shownFrom(finding.path, workingDirectory);
  const text = contractText(finding, workingDirectory) ?? findingLine({ ...finding, path });
  const more = (finding.detail ?? []).map((line) => `  │ ${oneLine(line, Number.MAX_SAFE_INTEGER)}`);
  return [text, ...more].join('\n');
}

/**
 * `path:line: severity code message (remedy)`. A log of a build may be read for commands, which are told by `::` at
 * the head of a line or `##[` anywhere in it: neither can come from a file.
 */
export function findingLine(finding: Finding): string {
  return plainHead(oneLine(formatFinding(finding), Number.MAX_SAFE_INTEGER));
}

/** The lines that the contract gives word for word; null for a finding that has none. */
export function contractText(finding: Finding, workingDirectory: string): string | null {
  const text = isUnused(finding)
    ? `not used: ${pathFrom(workingDirectory, finding.path)} (untrusted; bnerd trust)`
    : null;
  if (text !== null) return oneLine(text, Number.MAX_SAFE_INTEGER);
  return (
    ruleKeptText(finding)
      ?.split('\n')
      .map((line) => oneLine(line, Number.MAX_SAFE_INTEGER))
      .join('\n') ?? null
  );
}

/** Whether a finding says that a file is not used, and nothing needs it. */
export function isUnused({ code, severity }: Pick<Finding, 'code' | 'severity'>): boolean {
  return code === UNTRUSTED && severity === 'info';
}

/** Files that need an approval lie in a repository around the directory, so that the way to them is short. */
function pathFrom(workingDirectory: string, path: string): string {
  return isAbsolute(path) ? relative(workingDirectory, path) : path;
}
