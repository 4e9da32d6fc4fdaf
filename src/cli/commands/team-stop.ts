/** `bnerd team stop`. */

import { stopTeam } from '../../runtime/operator.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven, wordsOf } from '../call.js';
import { tellOperated } from '../operated.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const member = wordsOf(call, 'member')[0] ?? null;
  const done = stopTeam(house.value, argument(call, 'id'), member, isGiven(call, 'force'));
  return tellOperated(call.program, await done);
}
