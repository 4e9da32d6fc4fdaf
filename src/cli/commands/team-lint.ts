/** `bnerd team lint`: a finding a line on stdout; exit 1 on errors, with `--strict` on warnings as well. */

import { lintCatalogue } from '../../runtime/lint.js';
import { plainJson } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven, wordsOf } from '../call.js';
import { lintText } from '../listings.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const findings = await lintCatalogue(house.value, wordsOf(call, 'target'));
  const json = `${plainJson(JSON.stringify({ v: 1, findings }, null, 2))}\n`;
  program.output.results.write(isGiven(call, 'json') ? json : lintText(findings));
  const failing = isGiven(call, 'strict') ? ['error', 'warning'] : ['error'];
  return findings.some(({ severity }) => failing.includes(severity)) ? 1 : 0;
}
