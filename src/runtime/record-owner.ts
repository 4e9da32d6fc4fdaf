/**
 * Whose record a folder holds. Numbers of facts, ids of tasks and places of calls are the same in every team, so
 * nothing else would tell that a log or a memory was put into the folder of another team (spec/team.md §7 "resume").
 */

import type { TranscriptEntry } from '../events/transcript-entry.js';
import { FatalError } from '../shared/errors.js';
import type { TeamState } from '../team/show/view.js';

/** The error `foreign-record` when the log says that it is of another team than its folder. */
export function foreignLog(id: string, state: TeamState): FatalError | undefined {
  if (state.run === null || state.run.team === id) return undefined;
  return foreign(`the log in the folder of ${id}`, state.run.team, id);
}

/** The same for a member's memory that was made in another team or by another member. */
export function foreignMemory(
  id: string,
  member: string,
  entries: readonly TranscriptEntry[],
): FatalError | undefined {
  for (const entry of entries) {
    if (entry.kind !== 'opened' || (entry.team === id && entry.member === member)) continue;
    const what = `the transcript of ${member} in the folder of ${id}, turn ${entry.id},`;
    return foreign(what, `${entry.member} of ${entry.team}`, id);
  }
  return undefined;
}

function foreign(what: string, owner: string, id: string): FatalError {
  const remedy = `put the folder of ${id} back whole, from a copy of its own`;
  return new FatalError('foreign-record', `${what} is of ${owner} and was not used; ${remedy}`);
}
