/** `bnerd team cleanup`: asks first; without a terminal only `--yes` will do. */

import { cleanupTeam } from '../../runtime/cleanup-team.js';
import { findTeam } from '../../runtime/find-team.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { confirmed } from '../confirm.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const place = await findTeam(house.value, argument(call, 'id'));
  if (place.kind === 'refused') return refuse(program, place.findings);
  const { id } = place.value;
  const purge = isGiven(call, 'purge');
  if (!isGiven(call, 'yes')) {
    const what = `stop ${id} if it is live and ${purge ? 'DELETE' : 'archive'} its record`;
    const word = await confirmed(program, what);
    if (word.kind === 'refused') return refuse(program, word.findings);
    if (!word.value) return 1;
  }
  const found = await cleanupTeam(house.value, id, { purge });
  if (found.kind === 'refused') return refuse(program, found.findings);
  program.output.notes.write(`${found.value.text}\n`);
  return 0;
}
