/** `bnerd skills lint`: rules and skills and the locks beside them, checked without asking a model. */

import { lintEntries } from '../../runtime/skills/lint-entries.js';
import { houseOf } from '../build-house.js';
import { type Call, wordsOf } from '../call.js';
import { formatOf, writeReport } from '../findings/lint-report.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const format = formatOf(call);
  if (format.kind === 'refused') return refuse(call.program, format.findings);
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const report = await lintEntries(house.value, wordsOf(call, 'path'));
  return writeReport(call, house.value, format.value, report);
}
