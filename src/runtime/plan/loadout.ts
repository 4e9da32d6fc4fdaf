/**
 * The loadout of each seat: tools, entries, prompt, with the proof that goes into the record (spec/team.md §2,
 * spec/skills.md §7). Everything is resolved here, before any model is asked; whatever does not resolve refuses.
 */

import type { Roster, RosterMember } from '../../catalog/roster.js';
import type { FactOf } from '../../events/event.js';
import type { LoadedEntry, Safety, Seat } from '../../events/facts/frozen.js';
import type { ChosenModel } from '../../models/choice/choose-model.js';
import type { PromptPart } from '../../models/model.js';
import type { ModelFacts } from '../../models/settings.js';
import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import type { SkillAdditions } from '../../skills/additions.js';
import type { Capability, Entry } from '../../skills/entry.js';
import { forceLoad } from '../../skills/force-load.js';
import type { Registry } from '../../skills/registry.js';
import { renderForSystem } from '../../skills/render.js';
import type { MemberTools } from '../../tools/registry.js';
import { composePrompt, joinPrompt, partProofs } from './compose-prompt.js';
import { roleNotInEffect } from './not-in-effect.js';
import { promptSizeFindings } from './prompt-size.js';
import { roleTools } from './role-tools.js';

export interface LoadoutRequest {
  readonly roster: Roster;
  /** The recipe's body with variables filled in. */
  readonly contract: string;
  readonly safety: Safety;
  readonly registry: Registry;
  readonly additions: SkillAdditions;
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** What is known of a chosen model. */
  factsOf(model: ChosenModel): ModelFacts;
}

export interface Loadouts {
  readonly seats: readonly Seat[];
  /** Parts by member. */
  readonly prompts: ReadonlyMap<string, readonly PromptPart[]>;
  /** What was named and not composed, for the record. */
  readonly entries: readonly FactOf<'entry.rejected' | 'entry.omitted'>[];
  /** Of severity error: the run does not start. */
  readonly findings: readonly Finding[];
}

/** Works out every seat of a roster, on-demand ones included. */
export function composeLoadouts(request: LoadoutRequest): Loadouts {
  const seats: Seat[] = [];
  const prompts = new Map<string, readonly PromptPart[]>();
  const entries: FactOf<'entry.rejected' | 'entry.omitted'>[] = [];
  const findings: Finding[] = [];
  for (const member of request.roster.members) {
    const tools = roleTools(member, request.safety);
    findings.push(...tools.findings, ...roleNotInEffect(member.role));
    const loaded = forceLoad({
      registry: request.registry,
      role: member.name,
      rolePath: member.role.path,
      roleSkills: member.role.skills,
      additions: request.additions,
      granted: capabilitiesOf(tools.tools.map((tool) => tool.name)),
    });
    findings.push(...loaded.refusals, ...loaded.notes);
    // What is said of an open file matters to a run that uses it, and to no other.
    findings.push(...loaded.entries.flatMap(({ path }) => request.registry.quiet.get(path) ?? []));
    for (const { entry, detail } of loaded.rejected) {
      entries.push({
        type: 'entry.rejected',
        member: member.name,
        entry: entry.name,
        reason: 'capability',
        detail,
      });
      findings.push(rejectedFinding(member, entry, detail));
    }
    for (const { entry, reason, detail } of loaded.omitted) {
      entries.push({ type: 'entry.omitted', member: member.name, entry: entry.name, reason, detail });
    }
    const parts = composePrompt(member, loaded.entries, request.contract, request.roster.members);
    prompts.set(member.name, parts);
    const model = request.models.get(member.name);
    if (model === undefined) continue; // Its own finding says why; the run is refused.
    findings.push(...promptSizeFindings(member, parts, { id: model.id, facts: request.factsOf(model) }));
    seats.push(
      seatOf(
        member,
        model,
        tools,
        parts,
        loaded.entries.map((entry) => proofOf(entry, request.registry)),
      ),
    );
  }
  return { seats, prompts, entries, findings };
}

function seatOf(
  member: RosterMember,
  model: ChosenModel,
  { tools, patterns }: MemberTools,
  parts: readonly PromptPart[],
  entries: readonly LoadedEntry[],
): Seat {
  const prompt = joinPrompt(parts);
  return {
    member: member.name,
    role: member.name,
    role_path: member.role.path,
    role_tier: member.role.tier,
    role_digest: member.role.digest,
    role_approval: null,
    lead: member.lead,
    on_demand: member.onDemand,
    model: model.id,
    model_file: model.provider === 'script' ? { path: model.file, shown: model.shown } : null,
    tools: tools.map((tool) => ({ ...tool, entry: null })),
    patterns: [...patterns],
    plan_mode: member.planMode,
    plan_approver: member.planApprover,
    exclusive_workspace: member.exclusiveWorkspace,
    max_turns: member.maxTurns,
    prompt_sha256: sha256(prompt),
    prompt_bytes: Buffer.byteLength(prompt),
    parts: partProofs(parts),
    reference: null,
    page: false,
    entries: [...entries],
  };
}

function proofOf(entry: Entry, { files }: Registry): LoadedEntry {
  const rendered = renderForSystem(entry);
  return {
    kind: entry.kind,
    name: entry.name,
    level: 'role',
    version: entry.version,
    digest: entry.digest,
    rendered_sha256: sha256(rendered),
    tier: entry.tier,
    trust: entry.trust,
    origin: entry.origin,
    bytes: Buffer.byteLength(rendered),
    approval: approvalOf(entry, files),
  };
}

/** What the operator was asked about the file of an entry that instructs; nobody has to be asked again of another. */
function approvalOf(entry: Entry, files: Registry['files']): LoadedEntry['approval'] {
  if (entry.trust !== 'instruction') return null;
  const file = files.find((each) => each.kind === 'loaded' && each.entry === entry);
  if (file?.kind !== 'loaded' || file.approval === null) return null;
  const { tier, root, path } = file.approval.question;
  return { tier, root, path };
}

/** What a member can do, from its final tools (spec/skills.md §7.3). `repo-workspace` is nobody's here. */
function capabilitiesOf(tools: readonly string[]): Capability[] {
  const granted: Capability[] = [];
  if (tools.includes('fs_write_file') || tools.includes('fs_edit_file')) granted.push('workspace-write');
  if (tools.includes('shell_exec')) granted.push('shell');
  if (tools.includes('web_fetch')) granted.push('network');
  if (tools.includes('delegate_engineer')) granted.push('delegate');
  return granted;
}

function rejectedFinding(member: RosterMember, entry: Entry, detail: string): Finding {
  return {
    code: 'entry-rejected',
    severity: 'warning',
    path: member.role.path,
    message: `${member.name} starts without ${entry.kind} ${entry.name}: ${detail}`,
    remedy: 'take it off the list of the role, or give the role the tools it needs',
  };
}
