/**
 * The gates an entry passes on its way to a member, whichever way it was named (spec/skills.md §7.3, §7 "Process
 * entries"): what it requires, the member is granted; a process is the recipe's to name. Pure.
 */

import type { Capability, Entry } from '../entry.js';

/** An entry that requires what the member lacks; `capability` is the first one lacking. */
export interface RejectedEntry {
  readonly entry: Entry;
  readonly capability: Capability;
  readonly detail: string;
}

/** An entry that is left out, whatever the member can do. */
export interface OmittedEntry {
  readonly entry: Entry;
  readonly reason: 'process' | 'disabled';
  readonly detail: string;
}

export interface Passed {
  /** In the order given. */
  readonly entries: readonly Entry[];
  readonly rejected: readonly RejectedEntry[];
  readonly omitted: readonly OmittedEntry[];
}

/** Each candidate ends in exactly one of the three lists. */
export function throughGates(candidates: readonly Entry[], granted: readonly Capability[]): Passed {
  const entries: Entry[] = [];
  const rejected: RejectedEntry[] = [];
  const omitted: OmittedEntry[] = [];
  for (const entry of candidates) {
    const lacking = lackingFor(entry, granted);
    const [capability] = lacking;
    if (entry.process) {
      const detail = `${entry.name} is a process entry; a recipe names it in process:, no list can`;
      omitted.push({ entry, reason: 'process', detail });
    } else if (capability !== undefined) {
      rejected.push({ entry, capability, detail: lackingText(entry, lacking) });
    } else {
      entries.push(entry);
    }
  }
  return { entries, rejected, omitted };
}

/** What the entry requires and is not granted, in the order it is written. */
export function lackingFor(entry: Entry, granted: readonly Capability[]): readonly Capability[] {
  return entry.requires.filter((capability) => !granted.includes(capability));
}

/** The words for it. */
export function lackingText(entry: Entry, lacking: readonly Capability[]): string {
  return `${entry.name} requires ${lacking.join(', ')}, which this member is not granted`;
}
