/** `bnerd team send`. */

import { sendToTeam } from '../../runtime/operator.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, wordsOf } from '../call.js';
import { tellOperated } from '../operated.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const house = await houseOf(call, 'words');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const text = wordsOf(call, 'text').join(' ');
  const done = sendToTeam(house.value, argument(call, 'id'), argument(call, 'to'), text);
  return tellOperated(call.program, await done);
}
