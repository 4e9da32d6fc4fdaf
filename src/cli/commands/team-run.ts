/** `bnerd team run`. */

import type { Call } from '../call.js';
import { beginRun } from '../live/begin-run.js';
import { driveTeam } from '../live/drive-team.js';

export function run(call: Call): Promise<number> {
  return driveTeam(call, (beginning) => beginRun(call, beginning));
}
