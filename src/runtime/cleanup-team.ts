/** Puts a team away: stopped, recorded as archived, its record moved to the archive or deleted (spec/team.md §7). */

import { engineOf } from './engine/engine-of.js';
import { type Found, findTeam } from './find-team.js';
import type { House } from './house.js';
import { stopTeam } from './operator.js';

/** Archives a team, or deletes it. The caller has asked the operator when the team is live. */
export async function cleanupTeam(
  house: House,
  typed: string,
  how: { readonly purge: boolean },
): Promise<Found<{ readonly text: string }>> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id } = found.value;
  const stop = await stopTeam(house, id, null, false);
  if (stop.kind === 'refused') {
    // A record that cannot be opened is put away as it is; one that somebody has is not.
    const unopened = stop.findings.every(
      (finding) => finding.code !== 'team-held' && finding.code !== 'unreachable',
    );
    if (!unopened) return stop;
  }
  const away = await (await engineOf(house)).putAway(id, how);
  return away.kind === 'refused' ? away : { kind: 'found', value: { text: away.text } };
}
