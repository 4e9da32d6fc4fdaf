/** `bnerd team verify`: a line per difference on stdout, exit 1 when there is one. */

import { verifyTeam } from '../../runtime/verify-team.js';
import { stripControls } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call } from '../call.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const found = await verifyTeam(house.value, argument(call, 'id'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  program.output.results.write(found.value.lines.map((line) => `${stripControls(line)}\n`).join(''));
  return found.value.ok ? 0 : 1;
}
