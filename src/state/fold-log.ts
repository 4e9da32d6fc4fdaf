/**
 * A log that was just opened, folded: from its snapshot on where a good one was found, else from its first entry. Who had
 * far to fold keeps a snapshot, so that the next need not (spec/engine.md §1 "Versions").
 */

import type { LogEntry } from '../events/log-entry.js';
import type { EventLog } from '../events/record.js';
import { errorText, FatalError } from '../shared/errors.js';
import { evolveEntry } from '../team/evolve.js';
import { forgedWord } from '../team/operator-word.js';
import { emptyState, type TeamState } from '../team/state.js';
import { withOneCopy } from './one-copy.js';
import { readSnapshot, snapshotText } from './snapshot.js';
import { type Walls, wallsAfter } from './walls.js';

export interface FoldedLog {
  readonly state: TeamState;
  /** Undefined of an empty log. */
  readonly walls: Walls | undefined;
}

/**
 * Folds an entry that was read from a log, which others may write as well.
 * @param state what the log gives up to it; it goes on with it
 * @returns the entry as it is held from here on
 * @throws FatalError `record-forged` when it says something in the name of an operator that none of the team has signed,
 *   `log-broken` when it cannot be folded: then the state is not to be used any more
 */
export function foldRead(state: TeamState, entry: LogEntry): LogEntry {
  const team = state.run?.team ?? 'the team';
  const forged = applied(team, entry, () => forgedWord(state, entry));
  if (forged !== undefined) {
    const remedy = 'nothing is folded from there on and nothing is written: look who may write to the server';
    throw new FatalError('record-forged', `the record of ${team} was tampered with: ${forged}; ${remedy}`);
  }
  return applied(team, entry, () => {
    const held = withOneCopy(entry, state.run);
    evolveEntry(state, held);
    return held;
  });
}

/** Facts are trusted to have their fields, and what others write may have none: what that comes to is an error of the log. */
function applied<Value>(team: string, { first }: LogEntry, apply: () => Value): Value {
  try {
    return apply();
  } catch (error) {
    const what = `the entry of the log of ${team} at fact ${first} holds what is no fact: ${errorText(error)}`;
    throw new FatalError('log-broken', what, { cause: error });
  }
}

/** Folds the whole log. Rejects as reading it does, and with `record-forged`. */
export async function foldLog(log: EventLog): Promise<FoldedLog> {
  const { snapshots } = log;
  const found = snapshots?.found;
  const kept = found === undefined ? undefined : readSnapshot(found.text);
  const from = kept?.state.next ?? 1;
  const entries = await log.read(from);
  const state = kept?.state ?? emptyState();
  for (const entry of entries) foldRead(state, entry);
  const walls = wallsAfter(kept?.walls, entries);
  if (snapshots !== undefined && walls !== undefined && state.next - from >= snapshots.afterFacts)
    void snapshots.keep({ next: state.next, text: snapshotText({ state, walls }) });
  return { state, walls };
}
