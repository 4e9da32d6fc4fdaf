/** Findings in the form that was asked for: text for people, the rest for programs (spec/skills.md §10). */

import { fileOutcome } from '../../catalog/files/file-outcome.js';
import { assertNever } from '../../shared/assert-never.js';
import type { Finding, Severity } from '../../shared/findings.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { findingLine } from '../texts/finding-text.js';
import { githubText } from './github.js';
import { type ReportFolders, shownFrom } from './place.js';
import { sarifLog } from './sarif.js';

export const REPORT_FORMATS = ['text', 'json', 'github', 'sarif'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What was looked at and what is said about it. */
export interface Report {
  /** Paths of the files, each once. */
  readonly checked: readonly string[];
  readonly findings: readonly Finding[];
}

/** The whole of stdout. @param version of this program */
export function reportText(
  format: ReportFormat,
  { checked, findings }: Report,
  folders: ReportFolders,
  version: string,
): string {
  const shown = findings.map((finding) => ({
    ...finding,
    path: shownFrom(finding.path, folders.workingDirectory),
  }));
  switch (format) {
    case 'text':
      return shown.map((finding) => `${findingLine(finding)}\n`).join('');
    case 'json': {
      const outcomes = checked.map((path) => ({
        path: shownFrom(path, folders.workingDirectory),
        outcome: fileOutcome(path, findings),
      }));
      return jsonDocument({ v: 1, files: checked.length, outcomes, findings: shown });
    }
    case 'github':
      return githubText(findings, folders);
    case 'sarif':
      return jsonDocument(sarifLog(findings, folders, version));
    default:
      return assertNever(format, 'format of findings');
  }
}

/** What came of it: `3 files: 1 loaded, 1 repaired, 1 refused; 1 error, 0 warnings, 2 remarks`. */
export function summaryLine({ checked, findings }: Report): string {
  const outcomes = checked.map((path) => fileOutcome(path, findings));
  const files = (['loaded', 'repaired', 'refused'] as const).map(
    (outcome) => `${outcomes.filter((one) => one === outcome).length} ${outcome}`,
  );
  const counted = (severity: Severity, noun: string): string =>
    count(findings.filter((finding) => finding.severity === severity).length, noun);
  const remarks = [counted('error', 'error'), counted('warning', 'warning'), counted('info', 'remark')];
  return `${count(checked.length, 'file')}: ${files.join(', ')}; ${remarks.join(', ')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
