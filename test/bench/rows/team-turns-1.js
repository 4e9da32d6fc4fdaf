/** What a turn of ours costs that does nothing, 1 at once, beside a job that sends the same commands. */

import { teamTurnsRow } from '../team-turns.js';

export const row = teamTurnsRow(1);
