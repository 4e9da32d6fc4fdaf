/** From an id to a team that is live again, or to the end it had before. */

import type { FactOf } from '../../events/event.js';
import type { LogEntry } from '../../events/log-entry.js';
import type { House } from '../../runtime/house.js';
import type { TeamOptions } from '../../runtime/live-team.js';
import { resumeTeam } from '../../runtime/resume-team.js';
import { teamLog } from '../../runtime/teams.js';
import { BugError } from '../../shared/errors.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import type { Beginning, Begun } from './drive-team.js';

/** Begins `team resume`. */
export async function beginResume(call: Call, { options, stopped }: Beginning): Promise<Begun> {
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return house;
  if (stopped.aborted) return { kind: 'cancelled' };
  const takeOver = isGiven(call, 'take-over');
  return takeUp(house.value, argument(call, 'id'), { ...options, takeOver });
}

/** The team of this id, live again, or its end once more. */
export async function takeUp(
  house: House,
  id: string,
  options: TeamOptions & { readonly takeOver: boolean },
): Promise<Begun> {
  const resumed = await resumeTeam(house, id, options);
  if (resumed.kind !== 'finished') return resumed;
  const log = await teamLog(house, resumed.id);
  return log.kind === 'refused' ? log : { kind: 'finished', id: resumed.id, ...lastEnd(log.value) };
}

function lastEnd(entries: readonly LogEntry[]): { n: number; at: string; end: FactOf<'run.ended'> } {
  for (const { first, wall, facts } of entries.toReversed()) {
    const place = facts.findLastIndex(({ type }) => type === 'run.ended');
    const end = facts[place];
    if (end?.type === 'run.ended') return { n: first + place, at: wall, end };
  }
  throw new BugError('no-end', 'a finished team has no recorded end');
}
