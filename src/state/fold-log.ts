/**
 * A log that was just opened, folded: from its snapshot on where a good one was found, else from its first entry. Who had
 * far to fold keeps a snapshot, so that the next need not (spec/engine.md §1 "Versions").
 */

import type { EventLog } from '../events/record.js';
import { evolveEntry } from '../team/evolve.js';
import { emptyState, type TeamState } from '../team/state.js';
import { readSnapshot, snapshotText } from './snapshot.js';
import { type Walls, wallsAfter } from './walls.js';

export interface FoldedLog {
  readonly state: TeamState;
  /** Undefined of an empty log. */
  readonly walls: Walls | undefined;
}

/** Folds the whole log. Rejects as reading it does. */
export async function foldLog(log: EventLog): Promise<FoldedLog> {
  const { snapshots } = log;
  const found = snapshots?.found;
  const kept = found === undefined ? undefined : readSnapshot(found.text);
  const from = kept?.state.next ?? 1;
  const entries = await log.read(from);
  let state = kept?.state ?? emptyState();
  for (const entry of entries) state = evolveEntry(state, entry);
  const walls = wallsAfter(kept?.walls, entries);
  if (snapshots !== undefined && walls !== undefined && state.next - from >= snapshots.afterFacts)
    void snapshots.keep({ next: state.next, text: snapshotText({ state, walls }) });
  return { state, walls };
}
