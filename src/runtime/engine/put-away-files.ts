/** Puts a team in files away: recorded as archived, its folder moved to the archive or deleted (spec/team.md §7). */

import { rename, rm } from 'node:fs/promises';
import { deadlineAfter, sleep } from '../../shared/abort.js';
import { FatalError, UserError } from '../../shared/errors.js';
import type { House } from '../house.js';
import { openTeam } from '../open-team.js';
import { isHeld, lockOf } from '../team-holder.js';
import { freePlace, recordArchived, STOP_DEADLINE_MS, STOP_LOOK_MS, stillLive } from './archive-place.js';
import type { PutAway } from './engine.js';

/** @param folder of the team */
export async function putAwayFiles(
  house: House,
  id: string,
  folder: string,
  how: { readonly purge: boolean },
): Promise<PutAway> {
  const deadline = deadlineAfter(STOP_DEADLINE_MS);
  for (;;) {
    const lock = await lockOf(folder);
    if (!isHeld(lock) || lock.verdict !== 'alive') break;
    try {
      await sleep(STOP_LOOK_MS, deadline);
    } catch {
      return stillLive(id, STOP_DEADLINE_MS);
    }
  }
  try {
    const opened = await openTeam(house, id, folder, 'open');
    if (opened.kind === 'held') return { kind: 'refused', findings: [opened.finding] };
    try {
      await recordArchived(house, opened.team.store);
    } finally {
      await opened.team.releases.run();
    }
  } catch (error) {
    // A record that cannot be opened may still be put away; it is not changed.
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
  }
  if (how.purge) {
    await rm(folder, { recursive: true, force: true });
    return { kind: 'done', text: `${id} is deleted` };
  }
  const target = await freePlace(house, id);
  await rename(folder, target);
  return { kind: 'done', text: `${id} is archived in ${target}` };
}
