/** The guards as a composition asks them (spec/skills.md §4 "Guards"): every entry of every member, each time. */

import type { RosterMember } from '../../catalog/roster.js';
import type { Entry } from '../../skills/entry.js';
import { type GuardHit, guardEntry } from '../../skills/guards/guard-entry.js';
import type { SkillSettings } from '../../skills/settings.js';
import type { EntryOutcomes } from './entry-outcomes.js';

/** What the guards say of an entry for a role; nothing: it is admitted. */
export type AskGuards = (entry: Entry, role: string) => Promise<readonly GuardHit[]>;

/** The guards of a team under these settings. */
export function teamGuards(settings: SkillSettings, signal: AbortSignal): AskGuards {
  return (entry, role) => guardEntry(entry, { mode: 'team', role }, settings, signal);
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
  const answers = await Promise.all(entries.map((entry) => ask(entry, member.name)));
  return entries.filter((entry, at) => {
    const hits = answers[at] ?? [];
    if (hits.length > 0) outcomes.guarded(member, entry, hits, task);
    return hits.length === 0;
  });
}
