/**
 * The loadout of each seat: tools, entries, prompt, what stands in front of its first input, with the proof that goes
 * into the record (spec/team.md §2, spec/skills.md §7). Everything is resolved here, before any model is asked; whatever
 * does not resolve refuses.
 */

import type { Roster, RosterMember } from '../../catalog/roster.js';
import type { LoadedEntry, Safety, Seat, TaskEntries } from '../../events/facts/frozen.js';
import type { ChosenModel } from '../../models/choice/choose-model.js';
import type { PromptPart } from '../../models/model.js';
import type { ModelFacts } from '../../models/settings.js';
import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { renderForSystem } from '../../skills/render.js';
import type { MemberTools } from '../../tools/registry.js';
import { bundlePathIn } from './bundle-path.js';
import { capabilitiesOf } from './capabilities.js';
import { composePrompt, joinPrompt, type PromptEntries, partProofs } from './compose-prompt.js';
import { type EntryFact, EntryOutcomes } from './entry-outcomes.js';
import { proofOf } from './entry-proof.js';
import { entryRemarks } from './entry-remarks.js';
import { type EntrySources, type MemberEntries, memberEntries } from './member-entries.js';
import { roleNotInEffect } from './not-in-effect.js';
import { missingPage, worksOnPage } from './page.js';
import { processEntry } from './process-entry.js';
import { promptSizeFindings } from './prompt-size.js';
import { providedTools } from './provided-tools.js';
import { roleTools } from './role-tools.js';
import { entriesOfTasks, type TaskTaker } from './task-entries.js';

export interface LoadoutRequest {
  readonly roster: Roster;
  /** The recipe's body with variables filled in. */
  readonly contract: string;
  readonly safety: Safety;
  readonly sources: EntrySources;
  /** Real path of the workspace; null for one that is made when the run starts. */
  readonly workspace: string | null;
  /** The page of the run; null: it has none. */
  readonly page: string | null;
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** What is known of a chosen model. */
  factsOf(model: ChosenModel): ModelFacts;
}

export interface Loadouts {
  readonly seats: readonly Seat[];
  /** Parts by member. */
  readonly prompts: ReadonlyMap<string, readonly PromptPart[]>;
  /** The reference block of each member that has one. */
  readonly references: ReadonlyMap<string, ReferenceBlock>;
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
  const { roster, safety, sources, workspace, page } = request;
  const { registry } = sources;
  const outcomes = new EntryOutcomes();
  const seats: Seat[] = [];
  const prompts = new Map<string, readonly PromptPart[]>();
  const references = new Map<string, ReferenceBlock>();
  const findings: Finding[] = [];
  const remarks: Finding[] = [];
  const takers: TaskTaker[] = [];
  const carried = new Set<Entry>();
  let process: Entry | null = null;
  for (const member of roster.members) {
    // Of the program's own tools alone: what an entry provides grants nothing, and is there only with its entry.
    const ownNames = roleTools(member, safety).tools.map((tool) => tool.name);
    const granted = capabilitiesOf(ownNames);
    const bundlePathOf = bundlePathIn(workspace, ownNames);
    if (member.lead) {
      const named = await processEntry(roster.recipe, member, granted, registry, sources.guards);
      process = named.entry;
      findings.push(...named.findings);
    }
    const own = await memberEntries(member, granted, bundlePathOf, sources, outcomes);
    const composed = { process: member.lead ? process : null, entries: own.entries, bundlePathOf };
    const provided = providedTools(member, [
      ...(composed.process === null ? [] : [composed.process]),
      ...own.entries,
    ]);
    const tools = roleTools(member, safety, provided.tools);
    const toolNames = tools.tools.map((tool) => tool.name);
    findings.push(...tools.findings, ...provided.findings, ...roleNotInEffect(member.role), ...own.findings);
    const parts = composePrompt(member, composed, request.contract, roster.members);
    prompts.set(member.name, parts);
    if (own.block !== '') references.set(member.name, { text: own.block, entries: own.references });
    remarks.push(...entryRemarks(member, own.entries, toolNames));
    const ofMember = [
      ...(composed.process === null ? [] : [composed.process]),
      ...own.entries,
      ...own.references,
    ];
    for (const entry of ofMember) carried.add(entry);
    const toldPage = page !== null && worksOnPage(ofMember);
    takers.push({ member, granted, bundlePathOf, own, toldPage });
    const model = request.models.get(member.name);
    if (model === undefined) continue; // Its own finding says why; the run is refused.
    findings.push(...promptSizeFindings(member, parts, { id: model.id, facts: request.factsOf(model) }));
    const entries = proofsOf(composed, own, registry);
    seats.push(seatOf(member, model, tools, { parts, block: own.block, page: toldPage, entries }));
  }
  const ofTasks = await entriesOfTasks(roster.recipe, takers, page, sources, outcomes);
  return {
    seats,
    prompts,
    references,
    ofTasks: ofTasks.byTask,
    inputTexts: [...[...references.values()].map(({ text }) => text), ...ofTasks.texts],
    entries: outcomes.facts,
    findings: [...findings, ...ofTasks.findings, ...outcomes.findings],
    remarks,
    pageFindings: page === null ? missingPage(roster.recipe, process, carried) : [],
  };
}

/** What stands in the prompt and in front of the first input of a seat. */
interface Composed {
  readonly parts: readonly PromptPart[];
  readonly block: string;
  readonly page: boolean;
  readonly entries: readonly LoadedEntry[];
}

function seatOf(
  member: RosterMember,
  model: ChosenModel,
  { tools, patterns }: MemberTools,
  { parts, block, page, entries }: Composed,
): Seat {
  const prompt = joinPrompt(parts);
  return {
    member: member.name,
    role: member.name,
    role_path: member.role.path,
    role_tier: member.role.tier,
    role_digest: member.role.digest,
    role_approval: member.role.asked,
    lead: member.lead,
    on_demand: member.onDemand,
    model: model.id,
    model_file: model.provider === 'script' ? { path: model.file, shown: model.shown } : null,
    tools: tools.map(({ name, class: toolClass, entry = null }) => ({ name, class: toolClass, entry })),
    patterns: [...patterns],
    plan_mode: member.planMode,
    plan_approver: member.planApprover,
    exclusive_workspace: member.exclusiveWorkspace,
    max_turns: member.maxTurns,
    prompt_sha256: sha256(prompt),
    prompt_bytes: Buffer.byteLength(prompt),
    parts: partProofs(parts),
    reference: block === '' ? null : { sha256: sha256(block), bytes: Buffer.byteLength(block) },
    page,
    entries: [...entries],
  };
}

/** The process, what instructs, what is shown: in the order a member meets them. */
function proofsOf(
  { process, entries, bundlePathOf }: PromptEntries,
  { references }: Pick<MemberEntries, 'references'>,
  registry: Registry,
): LoadedEntry[] {
  const proof = (entry: Entry, level: 'role' | 'process', trust: Entry['trust']): LoadedEntry =>
    proofOf(entry, { level, trust, rendered: renderForSystem(entry, bundlePathOf(entry)) }, registry);
  return [
    ...(process === null ? [] : [proof(process, 'process', 'instruction')]),
    ...entries.map((entry) => proof(entry, 'role', 'instruction')),
    ...references.map((entry) => proof(entry, 'role', 'reference')),
  ];
}
