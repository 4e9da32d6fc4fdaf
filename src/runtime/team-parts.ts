/** What a team that runs in this process is made of: opened by whoever starts or resumes it, released at its end. */

import type { GrowingRecord } from '../events/growing-record.js';
import type { Finding } from '../shared/findings.js';
import type { Releases } from '../shared/releases.js';
import type { BriefDesk } from './briefs/brief-desk.js';
import type { OpenTeam } from './open-team.js';
import type { LocalTurns, QueueHooks, TurnQueue } from './turn-queue.js';
import type { TurnParts } from './turns/team-turns.js';

export interface TeamParts extends TurnParts {
  readonly folder: string;
  /** The name of this machine. */
  readonly host: string;
  readonly operator: string;
  /** Turns at once. */
  readonly concurrency: number;
  /** Where several processes serve the team; absent: this one alone runs its turns. */
  readonly queue?: (hooks: QueueHooks, turns: LocalTurns) => TurnQueue;
  /** The same: kills what tools of the team have started in this process, in turns that it runs as one of them. */
  readonly killHere?: () => void;
  /** The same: this process has to end, and nothing waits for the record for longer than that. */
  readonly leaveWithin?: (ms: number) => void;
  /** The same: what all of them record, as it is recorded. */
  readonly lines?: GrowingRecord;
  /** The same: see `OpenTeam.shared`. */
  readonly regain?: () => Promise<readonly Finding[] | undefined>;
  /** Where its members delegate: what sends briefs and takes in what comes of them. */
  readonly briefs: BriefDesk | null;
  /** Everything that was opened for the team; run when it has ended. */
  readonly releases: Releases;
  /** Fires when another process has taken the team over. */
  readonly lost: AbortSignal;
}

/** What the processes that serve a team beside this one add to its parts; nothing where there are none. */
export function sharedParts({
  shared,
}: Pick<OpenTeam, 'shared'>): Pick<TeamParts, 'queue' | 'killHere' | 'leaveWithin' | 'lines' | 'regain'> &
  Pick<TurnParts, 'lease' | 'runBy' | 'denies'> {
  if (shared === undefined) return {};
  const { queue, lines, regain, turns } = shared;
  const killHere = (): void => shared.kill();
  return { queue, lines, regain, killHere, leaveWithin: (ms) => shared.leaveWithin(ms), ...turns };
}
