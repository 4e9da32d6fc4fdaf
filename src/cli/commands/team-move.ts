/** `bnerd team move`. */

import { moveWorkspace } from '../../runtime/workers/move-workspace.js';
import { houseOf } from '../build-house.js';
import { argument, type Call } from '../call.js';
import { tellOperated } from '../operated.js';
import { refuse } from '../refusal.js';
import { refusalBelowTool } from '../tool-process.js';

export async function run(call: Call): Promise<number> {
  const below = refusalBelowTool(call.program, 'bnerd team move');
  if (below !== null) return refuse(call.program, [below]);
  const house = await houseOf(call, 'words');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  return tellOperated(call.program, await moveWorkspace(house.value, argument(call, 'id')));
}
