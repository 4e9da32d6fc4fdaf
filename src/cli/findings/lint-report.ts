/**
 * A lint of files, told: findings on stdout in the form that was asked for, what they come to on stderr; exit 1 on
 * errors, with `--strict` on warnings as well. The same for every command that lints.
 */

import { readChoice } from '../../config/values.js';
import { badValue, type Resolved, writtenValue } from '../../config/written.js';
import type { House } from '../../runtime/house.js';
import { type Call, isGiven } from '../call.js';
import { writeFindings } from '../refusal.js';
import { contractText, isUnused } from '../texts/finding-text.js';
import { REPORT_FORMATS, type Report, type ReportFormat, reportText, summaryLine } from './report.js';

/** The form of `--format`; `--json` says the same as `--format json`. */
export function formatOf(call: Call): Resolved<ReportFormat> {
  const written = writtenValue(call.layers, 'format');
  if (written === undefined) return { kind: 'resolved', value: isGiven(call, 'json') ? 'json' : 'text' };
  const reading = readChoice(written, REPORT_FORMATS);
  if (reading.kind === 'refused') return { kind: 'refused', findings: [reading.finding] };
  if (!isGiven(call, 'json') || reading.value === 'json') return { kind: 'resolved', value: reading.value };
  const finding = badValue(written, 'json, as --json is given too', 'keep one of the two flags');
  return { kind: 'refused', findings: [finding] };
}

/** Writes a report and gives the exit code. */
export async function writeReport(
  call: Call,
  house: House,
  format: ReportFormat,
  report: Report,
): Promise<number> {
  const { program } = call;
  const { findings } = report;
  const { workingDirectory, project } = house;
  const folders = { workingDirectory, root: project?.root ?? workingDirectory };
  // People are told of files that are not used in the words of the contract, on stderr, and once.
  const told = format === 'text' ? findings.filter((finding) => !isUnused(finding)) : findings;
  program.output.results.write(reportText(format, { ...report, findings: told }, folders, program.version));
  const notes = findings.filter((finding) => contractText(finding, workingDirectory) !== null);
  writeFindings(program, [...(await house.trust.findings()), ...notes]);
  program.output.notes.write(`${summaryLine(report)}\n`);
  const failing = isGiven(call, 'strict') ? ['error', 'warning'] : ['error'];
  return findings.some(({ severity }) => failing.includes(severity)) ? 1 : 0;
}
