/**
 * The loadout of one member: its tools, its entries, its prompt, with the proof that goes into the record
 * (spec/team.md §2, spec/skills.md §7).
 *
 * Always true: what an entry provides grants nothing; capabilities and readable places are those of the program's own
 * tools, which are there whatever becomes of the entry.
 */

import type { Roster, RosterMember } from '../../catalog/roster.js';
import type { LoadedEntry, Safety, Seat } from '../../events/facts/frozen.js';
import type { ChosenModel } from '../../models/choice/choose-model.js';
import type { PromptPart } from '../../models/model.js';
import type { ModelFacts } from '../../models/settings.js';
import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import type { Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { renderForSystem } from '../../skills/render.js';
import type { MemberTools, ProvidedTool } from '../../tools/registry.js';
import { bundlePathIn } from './bundle-path.js';
import { capabilitiesOf } from './capabilities.js';
import { composePrompt, joinPrompt, type PromptEntries, partProofs } from './compose-prompt.js';
import type { EntryOutcomes } from './entry-outcomes.js';
import { proofOf } from './entry-proof.js';
import { entryRemarks } from './entry-remarks.js';
import { type EntrySources, type MemberEntries, memberEntries } from './member-entries.js';
import { roleNotInEffect } from './not-in-effect.js';
import { worksOnPage } from './page.js';
import { NO_PROCESS, processEntry } from './process-entry.js';
import { promptSizeFindings } from './prompt-size.js';
import { providedTools } from './provided-tools.js';
import { roleTools } from './role-tools.js';
import type { TaskTaker } from './task-entries.js';

export interface LoadoutRequest {
  readonly roster: Roster;
  /** The recipe's body with variables filled in. */
  readonly contract: string;
  readonly safety: Safety;
  readonly sources: EntrySources;
  /** Real path of the workspace; null for one that is made when the run starts. */
  readonly workspace: string | null;
  /** Whether a role that delegates has an engineer to delegate to. */
  readonly engineer: boolean;
  /** The page of the run; null: it has none. */
  readonly page: string | null;
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** What is secret is taken out of a prompt before it is digested, stored and sent. */
  readonly secrets: Redactor;
  /** What is known of a chosen model. */
  factsOf(model: ChosenModel): ModelFacts;
}

export interface LoadoutTools extends MemberTools {
  /** What the entries of the member provide, offered to it or not. */
  readonly provided: readonly ProvidedTool[];
}

export interface MemberLoadout extends TaskTaker {
  /** Null: no model was chosen for the member. That has its own finding, and refuses a run. */
  readonly seat: Seat | null;
  readonly tools: LoadoutTools;
  readonly parts: readonly PromptPart[];
  /** What governs the order of steps; of the lead alone. */
  readonly process: Entry | null;
  readonly own: MemberEntries;
  /** Every entry that reaches the member, in the order it meets them. */
  readonly carried: readonly Entry[];
  readonly findings: readonly Finding[];
  /** Of entries that do not fit the member well. */
  readonly remarks: readonly Finding[];
}

/** Works out what a member starts with; what does not reach it is told to `outcomes`. */
export async function memberLoadout(
  member: RosterMember,
  request: LoadoutRequest,
  outcomes: EntryOutcomes,
): Promise<MemberLoadout> {
  const { roster, safety, sources, workspace, page } = request;
  const { registry, guards } = sources;
  const seated = {
    ...member,
    delegates: member.role.delegate && request.engineer,
    adopts: member.lead && request.engineer,
  };
  const ownNames = roleTools(seated, safety).tools.map(({ name }) => name);
  const granted = capabilitiesOf(ownNames);
  const bundlePathOf = bundlePathIn(workspace, ownNames);
  const { entry: process, findings: ofProcess } = member.lead
    ? await processEntry(roster.recipe, member, granted, registry, guards)
    : NO_PROCESS;
  const own = await memberEntries(member, granted, bundlePathOf, sources, outcomes);
  const instructing = process === null ? own.entries : [process, ...own.entries];
  const carried = [...instructing, ...own.references];
  const provided = providedTools(member, instructing);
  const tools = roleTools(seated, safety, provided.tools);
  const prompt = { process, entries: own.entries, bundlePathOf };
  const parts = composePrompt(member, prompt, request.contract, roster.members).map(({ name, text }) => ({
    name,
    text: request.secrets.text(text),
  }));
  const toldPage = page !== null && worksOnPage(carried);
  const model = request.models.get(member.name);
  const entries = proofsOf(prompt, own, registry);
  return {
    member,
    granted,
    bundlePathOf,
    toldPage,
    seat:
      model === undefined
        ? null
        : seatOf(member, model, tools, { parts, block: own.block, page: toldPage, entries }),
    tools: { ...tools, provided: provided.tools },
    parts,
    process,
    own,
    carried,
    findings: [
      ...ofProcess,
      ...tools.findings,
      ...provided.findings,
      ...roleNotInEffect(member.role),
      ...own.findings,
      ...(model === undefined
        ? []
        : promptSizeFindings(member, parts, { id: model.id, facts: request.factsOf(model) })),
    ],
    remarks: entryRemarks(
      member,
      own.entries,
      tools.tools.map(({ name }) => name),
    ),
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
    confirm_approver: member.confirmApprover,
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
