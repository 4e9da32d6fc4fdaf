/** `bnerd team resume`. */

import type { Call } from '../call.js';
import { beginResume } from '../live/begin-resume.js';
import { driveTeam } from '../live/drive-team.js';

export function run(call: Call): Promise<number> {
  return driveTeam(call, (beginning) => beginResume(call, beginning));
}
