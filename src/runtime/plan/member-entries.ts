/**
 * The entries of one member: named, resolved, through the gates and guards, within the budget (spec/skills.md §4, §6,
 * §7). Decided once, at the start of the run.
 *
 * Always true: what instructs and what is only shown are never in one list; whatever does not reach the member is told.
 */

import type { RosterMember } from '../../catalog/roster.js';
import type { Finding } from '../../shared/findings.js';
import type { SkillAdditions } from '../../skills/choose/additions.js';
import { fitBudget } from '../../skills/choose/budget.js';
import { forceLoad } from '../../skills/choose/force-load.js';
import type { Capability, Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import type { BundlePathOf } from '../../skills/render.js';
import type { EntryOutcomes } from './entry-outcomes.js';
import { type AskGuards, guarded } from './guarded.js';
import { onList } from './on-list.js';

/** Where the entries of a team come from, and what is said of them in general. */
export interface EntrySources {
  readonly registry: Registry;
  readonly additions: SkillAdditions;
  /** Of the assembled reference block. */
  readonly maxBytes: number;
  readonly guards: AskGuards;
}

export interface MemberEntries {
  /** What instructs, in the order it is composed. */
  readonly entries: readonly Entry[];
  /** What is shown, in the order it stands in the block. */
  readonly references: readonly Entry[];
  /** The assembled block; empty for none. */
  readonly block: string;
  /** Every name the role level has decided about, whatever became of it: a task does not bring it again. */
  readonly decided: ReadonlySet<string>;
  /** Refusals, and remarks on the names and the files that are used. */
  readonly findings: readonly Finding[];
}

/** @param bundlePathOf where the member's tools find the files of an entry */
export async function memberEntries(
  member: RosterMember,
  granted: readonly Capability[],
  bundlePathOf: BundlePathOf,
  { registry, additions, maxBytes, guards }: EntrySources,
  outcomes: EntryOutcomes,
): Promise<MemberEntries> {
  const loaded = forceLoad({
    registry,
    role: member.name,
    rolePath: member.role.path,
    roleSkills: member.role.skills,
    additions,
    granted,
  });
  outcomes.stopped(member, loaded, null);
  const entries = await guarded(loaded.entries, member, guards, outcomes);
  const shown = await guarded(loaded.references, member, guards, outcomes);
  const fitted = fitBudget(
    shown.map((entry) => ({ entry, level: 'role' })),
    maxBytes,
    bundlePathOf,
  );
  for (const { entry } of fitted.omitted) outcomes.unroomed(member, entry, maxBytes, null);
  const references = fitted.kept.map(({ entry }) => entry);
  const stopped = [...loaded.rejected, ...loaded.omitted].map(({ entry }) => entry);
  return {
    entries,
    references,
    block: fitted.block,
    decided: new Set([...loaded.entries, ...loaded.references, ...stopped].map(({ name }) => name)),
    findings: [
      ...[...loaded.refusals, ...loaded.notes].map((finding) => onList(finding, member.role)),
      ...saidOfFiles([...entries, ...references], registry),
    ],
  };
}

/** What is said of an open file matters to a run that uses it, and to no other. */
export function saidOfFiles(entries: readonly Entry[], { quiet }: Registry): readonly Finding[] {
  return entries.flatMap(({ path }) => quiet.get(path) ?? []);
}
