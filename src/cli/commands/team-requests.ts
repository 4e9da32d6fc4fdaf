/** `bnerd team requests`. */

import { teamStatus } from '../../runtime/teams.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { refuse } from '../refusal.js';
import { requestsText } from '../texts/status-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const found = await teamStatus(house.value, argument(call, 'id'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { team, requests } = found.value;
  const json = jsonDocument({ v: 1, team, requests });
  program.output.results.write(
    isGiven(call, 'json') ? json : requestsText(team, requests, program.output.results.lineWidth),
  );
  return 0;
}
