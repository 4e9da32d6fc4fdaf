/**
 * The loadouts of a roster: what each seat starts with, and what it may be told with tasks (spec/team.md §2,
 * spec/skills.md §6, §7). Everything is resolved here, before any model is asked; whatever does not resolve refuses.
 */

import type { Seat, TaskEntries } from '../../events/facts/frozen.js';
import type { PromptPart } from '../../models/model.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../../skills/entry.js';
import { type EntryFact, EntryOutcomes } from './entry-outcomes.js';
import {
  type LoadoutRequest,
  type LoadoutTools,
  type MemberLoadout,
  memberLoadout,
} from './member-loadout.js';
import { missingPage } from './page.js';
import { entriesOfTasks } from './task-entries.js';

export interface Loadouts {
  readonly seats: readonly Seat[];
  /** Parts by member. */
  readonly prompts: ReadonlyMap<string, readonly PromptPart[]>;
  /** The reference block of each member that has one. */
  readonly references: ReadonlyMap<string, ReferenceBlock>;
  /** By member. */
  readonly tools: ReadonlyMap<string, LoadoutTools>;
  /** What rides with the tasks of the recipe, by their ids in it. */
  readonly ofTasks: ReadonlyMap<string, readonly TaskEntries[]>;
  /** Texts that stand in inputs, not in prompts. */
  readonly inputTexts: readonly string[];
  /** What was named and not composed, for the record. */
  readonly entries: readonly EntryFact[];
  /** Of severity error: the run does not start. */
  readonly findings: readonly Finding[];
  /** What a run need not hear of and a lint says: entries that do not fit their members well. */
  readonly remarks: readonly Finding[];
  /** What is said against a run without a page; empty when it has one. */
  readonly pageFindings: readonly Finding[];
}

/** What is shown to a member and does not instruct it, as one text. */
export interface ReferenceBlock {
  readonly text: string;
  /** In the order they stand in it. */
  readonly entries: readonly Entry[];
}

/** Works out every seat of a roster, on-demand ones included. */
export async function composeLoadouts(request: LoadoutRequest): Promise<Loadouts> {
  const { roster, sources, page } = request;
  const outcomes = new EntryOutcomes();
  const members: MemberLoadout[] = [];
  // One after the other: what is told of entries stands in the order of the members.
  for (const member of roster.members) members.push(await memberLoadout(member, request, outcomes));
  const references = referenceBlocks(members);
  const ofTasks = await entriesOfTasks(roster.recipe, members, page, sources, outcomes);
  return {
    seats: members.flatMap(({ seat }) => (seat === null ? [] : [seat])),
    prompts: new Map(members.map(({ member, parts }) => [member.name, parts])),
    references,
    tools: new Map(members.map(({ member, tools }) => [member.name, tools])),
    ofTasks: ofTasks.byTask,
    inputTexts: [...[...references.values()].map(({ text }) => text), ...ofTasks.texts],
    entries: outcomes.facts,
    findings: [...members.flatMap(({ findings }) => findings), ...ofTasks.findings, ...outcomes.findings],
    remarks: members.flatMap(({ remarks }) => remarks),
    pageFindings: page === null ? missingPage(roster.recipe, processOf(members), carriedBy(members)) : [],
  };
}

function referenceBlocks(members: readonly MemberLoadout[]): ReadonlyMap<string, ReferenceBlock> {
  const blocks = members.filter(({ own }) => own.block !== '');
  return new Map(
    blocks.map(({ member, own }) => [member.name, { text: own.block, entries: own.references }]),
  );
}

function processOf(members: readonly MemberLoadout[]): Entry | null {
  return members.find(({ process }) => process !== null)?.process ?? null;
}

function carriedBy(members: readonly MemberLoadout[]): ReadonlySet<Entry> {
  return new Set(members.flatMap(({ carried }) => carried));
}
