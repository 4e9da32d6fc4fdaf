/**
 * `bnerd team lint`: findings on stdout, what they come to on stderr; exit 1 on errors, with `--strict` on warnings
 * as well.
 */

import { readChoice } from '../../config/values.js';
import type { Resolved } from '../../config/written.js';
import { badValue, writtenValue } from '../../config/written.js';
import { lintCatalogue } from '../../runtime/lint.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven, wordsOf } from '../call.js';
import { REPORT_FORMATS, type ReportFormat, reportText, summaryLine } from '../findings/report.js';
import { refuse, writeFindings } from '../refusal.js';
import { contractText, isUnused } from '../texts/finding-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const format = formatOf(call);
  if (format.kind === 'refused') return refuse(program, format.findings);
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const report = await lintCatalogue(house.value, wordsOf(call, 'target'));
  const { findings } = report;
  const { workingDirectory, project } = house.value;
  const folders = { workingDirectory, root: project?.root ?? workingDirectory };
  // People are told of files that are not used in the words of the contract, on stderr, and once.
  const told = format.value === 'text' ? findings.filter((finding) => !isUnused(finding)) : findings;
  program.output.results.write(
    reportText(format.value, { ...report, findings: told }, folders, program.version),
  );
  const notes = findings.filter((finding) => contractText(finding, workingDirectory) !== null);
  writeFindings(program, [...(await house.value.trust.findings()), ...notes]);
  program.output.notes.write(`${summaryLine(report)}\n`);
  const failing = isGiven(call, 'strict') ? ['error', 'warning'] : ['error'];
  return findings.some(({ severity }) => failing.includes(severity)) ? 1 : 0;
}

/** `--json` says the same as `--format json`. */
function formatOf(call: Call): Resolved<ReportFormat> {
  const written = writtenValue(call.layers, 'format');
  if (written === undefined) return { kind: 'resolved', value: isGiven(call, 'json') ? 'json' : 'text' };
  const reading = readChoice(written, REPORT_FORMATS);
  if (reading.kind === 'refused') return { kind: 'refused', findings: [reading.finding] };
  if (!isGiven(call, 'json') || reading.value === 'json') return { kind: 'resolved', value: reading.value };
  const finding = badValue(written, 'json, as --json is given too', 'keep one of the two flags');
  return { kind: 'refused', findings: [finding] };
}
