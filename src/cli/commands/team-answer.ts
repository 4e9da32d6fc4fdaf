/** `bnerd team answer`. */

import { answerRequest } from '../../runtime/operator.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, wordsOf } from '../call.js';
import { tellOperated } from '../operated.js';
import { refuse } from '../refusal.js';
import { refusalBelowTool } from '../tool-process.js';

export async function run(call: Call): Promise<number> {
  const below = refusalBelowTool(call.program, 'bnerd team answer');
  if (below !== null) return refuse(call.program, [below]);
  const house = await houseOf(call, 'words');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const answer = wordsOf(call, 'answer').join(' ');
  const done = answerRequest(house.value, argument(call, 'id'), argument(call, 'request'), answer);
  return tellOperated(call.program, await done);
}
