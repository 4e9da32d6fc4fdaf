/**
 * The record of a team that runs, against the state that its process goes by: what is shown and what is decided are of
 * one record, or `verify` says so (spec/team.md §7, invariant 7, case K216).
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { LogEntry } from '../events/log-entry.js';
import { fold } from '../state/team-store.js';
import { stateDigest } from '../team/state-digest.js';
import type { TeamLook } from './engine/engine.js';

/** How long what the process has decided may be on its way to the disk, in milliseconds, and between two looks. */
const ON_ITS_WAY_MS = 5_000;
const LOOK_MS = 50;

/**
 * Compares the two. A process of another version may keep another state: then the record is all there is.
 * @param program the version that compares
 * @param log reads the entries that are on disk now
 * @returns one line per difference; empty for a team that no process runs, or whose state is its record's
 */
export async function liveDifferences(
  program: string,
  look: Pick<TeamLook, 'ask'>,
  log: () => Promise<readonly LogEntry[]>,
): Promise<readonly string[]> {
  const live = await look.ask({ op: 'state', program });
  if (live?.kind !== 'state') return []; // It ended meanwhile, or answers nobody of this version.
  for (let waited = 0; ; waited += LOOK_MS) {
    const entries = (await log()).filter((entry) => entry.first < live.next);
    const state = fold(entries);
    if (state.next === live.next) {
      if (stateDigest(state) === live.sha256) return [];
      return [
        `the process that runs the team goes by another state than its record gives at fact ${live.next - 1}`,
      ];
    }
    if (waited >= ON_ITS_WAY_MS)
      return [`the process that runs the team is at fact ${live.next - 1}, its record at ${state.next - 1}`];
    await wait(LOOK_MS);
  }
}
