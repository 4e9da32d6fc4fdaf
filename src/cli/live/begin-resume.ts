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
import { operatedRun } from '../operations.js';
import { attachTo, isHeldElsewhere } from './begin-attached.js';
import type { Beginning, Begun } from './drive-team.js';

/** Begins `team resume`. */
export async function beginResume(
  call: Call,
  { options, stopped, attach, releases }: Beginning,
): Promise<Begun> {
  const house = await operatedRun(call, await houseOf(call, 'catalogue'), releases);
  if (house.kind === 'refused') return house;
  if (stopped.aborted) return { kind: 'cancelled' };
  const takeOver = isGiven(call, 'take-over');
  return takeUp(house.value, argument(call, 'id'), { ...options, takeOver }, attach);
}

/** The team of this id, live again, or its end once more. @param attach where it may be looked on when another runs it */
export async function takeUp(
  house: House,
  id: string,
  options: TeamOptions & { readonly takeOver: boolean },
  attach: Beginning['attach'],
): Promise<Begun> {
  const resumed = await resumeTeam(house, id, options);
  if (attach !== null && isHeldElsewhere(resumed)) {
    const attached = await attachTo(house, id, attach);
    return attached.kind === 'over' ? endAgain(house, id) : attached;
  }
  if (resumed.kind === 'finished') return endAgain(house, resumed.id);
  return resumed.kind === 'live' ? { ...resumed, house } : resumed;
}

async function endAgain(house: House, id: string): Promise<Begun> {
  const log = await teamLog(house, id);
  return log.kind === 'refused' ? log : { kind: 'finished', id, ...lastEnd(log.value) };
}

function lastEnd(entries: readonly LogEntry[]): { n: number; at: string; end: FactOf<'run.ended'> } {
  for (const { first, wall, facts } of entries.toReversed()) {
    const place = facts.findLastIndex(({ type }) => type === 'run.ended');
    const end = facts[place];
    if (end?.type === 'run.ended') return { n: first + place, at: wall, end };
  }
  throw new BugError('no-end', 'a finished team has no recorded end');
}
