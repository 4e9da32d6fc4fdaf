/** What a team that runs in this process is made of: opened by whoever starts or resumes it, released at its end. */

import type { Releases } from '../shared/releases.js';
import type { BriefDesk } from './briefs/brief-desk.js';
import type { QueueHooks, TurnQueue } from './turn-queue.js';
import type { TurnParts } from './turns/team-turns.js';

export interface TeamParts extends TurnParts {
  readonly folder: string;
  readonly operator: string;
  /** Turns at once. */
  readonly concurrency: number;
  /** Where several processes serve the team; absent: this one alone runs its turns. */
  readonly queue?: (hooks: QueueHooks) => TurnQueue;
  /** Where its members delegate: what sends briefs and takes in what comes of them. */
  readonly briefs: BriefDesk | null;
  /** Everything that was opened for the team; run when it has ended. */
  readonly releases: Releases;
  /** Fires when another process has taken the team over. */
  readonly lost: AbortSignal;
}
