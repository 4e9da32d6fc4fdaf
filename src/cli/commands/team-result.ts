/** `bnerd team result`: the result on stdout, or exit 1 and why there is none. */

import { teamResult } from '../../runtime/teams.js';
import { stripControls } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call } from '../call.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const id = argument(call, 'id');
  const found = await teamResult(house.value, id);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { reason, result } = found.value;
  if (result !== null) {
    program.output.results.write(`${stripControls(result).trimEnd()}\n`);
    return 0;
  }
  const why = reason === null ? 'it has not ended' : `it ended ${reason}`;
  program.output.notes.write(`${id} has no result: ${why}\n`);
  return 1;
}
