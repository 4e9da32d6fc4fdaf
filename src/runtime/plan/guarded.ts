/** The guards as a composition asks them (spec/skills.md §4 "Guards"): every entry of every member, each time. */

import type { RosterMember } from '../../catalog/roster.js';
import { deadlineAfter } from '../../shared/abort.js';
import type { Entry } from '../../skills/entry.js';
import { type GuardHit, guardEntry, markerLook } from '../../skills/guards/guard-entry.js';
import type { SkillSettings } from '../../skills/settings.js';
import type { EntryOutcomes } from './entry-outcomes.js';

/** What the guards say of an entry for a role; nothing: it is admitted. */
export type AskGuards = (entry: Entry, role: string) => Promise<readonly GuardHit[]>;

/**
 * How long the files beside one entry may take to be looked at. Each entry has its own time: a bundle of strangers that
 * takes long must not keep the next entry, which may be trusted, from being looked at.
 */
const ENTRY_DEADLINE_MS = 15_000;

/**
 * The guards of one composition under these settings; what was not looked at in its time is kept out. The files beside an
 * entry that several members are given are looked at once.
 */
export function teamGuards(settings: SkillSettings): AskGuards {
  const look = markerLook();
  return (entry, role) => {
    const signal = deadlineAfter(ENTRY_DEADLINE_MS);
    return guardEntry(entry, { mode: 'team', role }, settings, signal, look);
  };
}

/**
 * The entries that no guard keeps from the member, in the order given; the others are told.
 * @param task what they were named for, when it was not the member's role
 */
export async function guarded(
  entries: readonly Entry[],
  member: RosterMember,
  ask: AskGuards,
  outcomes: EntryOutcomes,
  task: string | null = null,
): Promise<readonly Entry[]> {
  const answers: (readonly GuardHit[])[] = [];
  // One after the other, so that the time of an entry is its own.
  for (const entry of entries) answers.push(await ask(entry, member.name));
  return entries.filter((entry, at) => {
    const hits = answers[at] ?? [];
    if (hits.length > 0) outcomes.guarded(member, entry, hits, task);
    return hits.length === 0;
  });
}
