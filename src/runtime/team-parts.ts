/** What a team that runs in this process is made of: opened by whoever starts or resumes it, released at its end. */

import type { TeamRecord } from '../events/record.js';
import type { Gates } from '../models/pacing-gates.js';
import type { Clock } from '../shared/clock.js';
import type { ProcessGroups } from '../shared/processes.js';
import type { Releases } from '../shared/releases.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import type { TeamStore } from '../state/team-store.js';
import type { BriefDesk } from './briefs/brief-desk.js';
import type { Standing } from './standing/standing.js';
import type { TurnPace, TurnSeat } from './turns/turn-house.js';

export interface TeamParts {
  readonly id: string;
  readonly folder: string;
  readonly workspace: string;
  readonly operator: string;
  /** Turns at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly secrets: Redactor;
  readonly gates: Gates;
  readonly store: TeamStore;
  readonly record: TeamRecord;
  readonly groups: ProcessGroups;
  /** Where a recorded run is played again. */
  readonly pace?: TurnPace;
  readonly seats: ReadonlyMap<string, TurnSeat>;
  /** Texts of entries that stand in inputs, by SHA-256. */
  readonly inputTexts: ReadonlyMap<string, string>;
  /** Whether members may go on with what they were given. */
  readonly standing: Pick<Standing, 'holds'>;
  /** Where its members delegate: what sends briefs and takes in what comes of them. */
  readonly briefs: BriefDesk | null;
  /** Everything that was opened for the team; run when it has ended. */
  readonly releases: Releases;
  /** Fires when another process has taken the team over. */
  readonly lost: AbortSignal;
  fileBytes(path: string, head: string | null): Promise<number | null>;
}
