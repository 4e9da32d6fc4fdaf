/**
 * A record whose log tells somebody what this process has added to it: for logs and meters, which count at the one place
 * where each fact is added exactly once, whichever process adds it. It only listens; what it hears changes nothing.
 */

import type { Clock } from '../shared/clock.js';
import type { LogEntry } from './log-entry.js';
import type { TeamRecord } from './record.js';

/** Hears of appends of this process. Must not throw. */
export interface RecordObserver {
  /** An entry is recorded. @param ms from the asking to the answer */
  appended(team: string, entry: LogEntry, ms: number): void;
  /** Another process wrote first: it is decided again. */
  conflicted(team: string): void;
}

/** The record, and who hears of it; the record itself where nobody does. */
export function observedRecord(
  record: TeamRecord,
  team: string,
  clock: Pick<Clock, 'monotonicMs'>,
  observer: RecordObserver | undefined,
): TeamRecord {
  if (observer === undefined) return record;
  const { log } = record;
  return {
    ...record,
    bytes: () => record.bytes(),
    close: () => record.close(),
    log: {
      writers: log.writers,
      ...(log.snapshots === undefined ? {} : { snapshots: log.snapshots }),
      read: (from) => log.read(from),
      append: async (entry) => {
        const from = clock.monotonicMs();
        const outcome = await log.append(entry);
        if (outcome.kind === 'appended') observer.appended(team, entry, clock.monotonicMs() - from);
        else observer.conflicted(team);
        return outcome;
      },
    },
  };
}
