/** `bnerd team resume`. */

import { beginResume } from '../begin-resume.js';
import type { Call } from '../call.js';
import { driveTeam } from '../drive-team.js';

export function run(call: Call): Promise<number> {
  return driveTeam(call, (beginning) => beginResume(call, beginning));
}
