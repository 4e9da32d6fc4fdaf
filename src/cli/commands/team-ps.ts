/** `bnerd team ps`. */

import { listTeams } from '../../runtime/teams.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven } from '../call.js';
import { refuse } from '../refusal.js';
import { teamsText } from '../texts/listings.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const teams = await listTeams(house.value);
  const json = jsonDocument({ v: 1, teams });
  program.output.results.write(isGiven(call, 'json') ? json : teamsText(teams));
  return 0;
}
