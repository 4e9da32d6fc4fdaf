/**
 * What whoever coordinates relies on when nobody looks after a quiet fact: no turn should exist after it that should not have
 * before, and no time has come nearer.
 */

import type { LogEntry } from '../../../src/events/log-entry.js';
import { evolveEntry } from '../../../src/team/evolve.js';
import { nextJobs, nextTimer } from '../../../src/team/next-jobs.js';
import { areQuiet } from '../../../src/team/quiet-facts.js';
import type { TeamState } from '../../../src/team/state.js';

export class QuietWatch {
  /** Entries that nobody had to look after. */
  quiet = 0;
  readonly broken: string[] = [];

  /** Takes the entry into the state. @param now team time in milliseconds */
  see(state: TeamState, entry: LogEntry, now: number): void {
    const before = looked(state, now);
    evolveEntry(state, entry);
    if (!areQuiet(state, entry.facts)) return;
    this.quiet++;
    const after = looked(state, now);
    const fresh = [...after.jobs].filter((job) => !before.jobs.has(job));
    const types = entry.facts.map(({ type }) => type).join(' ');
    if (fresh.length > 0) this.broken.push(`P: ${types} are quiet and make turns due: ${fresh.join(' ')}`);
    if (after.timer < before.timer) this.broken.push(`P: ${types} are quiet and bring a time nearer`);
  }
}

function looked(state: TeamState, now: number): { readonly jobs: Set<string>; readonly timer: number } {
  return {
    jobs: new Set(nextJobs(state, now).map((job) => JSON.stringify(job))),
    timer: nextTimer(state, now) ?? Number.POSITIVE_INFINITY,
  };
}
