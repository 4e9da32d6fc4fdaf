/** `bnerd team run`. */

import { beginRun } from '../begin-run.js';
import type { Call } from '../call.js';
import { driveTeam } from '../drive-team.js';

export function run(call: Call): Promise<number> {
  return driveTeam(call, (beginning) => beginRun(call, beginning));
}
