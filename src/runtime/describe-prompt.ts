/**
 * The system prompt that a run would give to a member: composed by the very function that a run composes with, so
 * that its SHA-256 is the `prompt_sha256` of `member.spawned` (spec/team.md §1, §2). Nothing is run or written, and
 * no model has to be configured.
 */

import type { Recipe } from '../catalog/recipes/recipe.js';
import type { RosterMember } from '../catalog/roster.js';
import type { Tier } from '../catalog/tiers.js';
import type { PromptPart } from '../models/model.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import { sha256 } from '../shared/digest.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import { sameRole } from '../shared/role-identity.js';
import { resolveName } from '../skills/choose/resolve-name.js';
import type { Registry } from '../skills/registry.js';
import { composeToShow } from './compose-to-show.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import { joinPrompt } from './plan/compose-prompt.js';
import type { Loadouts, ReferenceBlock } from './plan/loadout.js';
import type { RunOrder } from './plan/run-order.js';
import { seatTeam } from './plan/seat-team.js';
import { withTrustFindings } from './trust-findings.js';

/** One part: its text, and where that came from. */
export interface DescribedPart {
  readonly name: string;
  /** The file; for what the runtime writes itself, what it is made from. */
  readonly origin: string;
  /** Null for what is no file of a tier. */
  readonly tier: Tier | null;
  /** Of the file or entry, as approvals name it; null for what is no file. */
  readonly digest: string | null;
  /** Of the text, as `member.spawned` has it. */
  readonly sha256: string;
  readonly bytes: number;
  readonly text: string;
}

/** The reference block: text that is shown to a member and does not instruct it (spec/skills.md §4). */
export interface DescribedBlock {
  readonly sha256: string;
  readonly bytes: number;
  readonly text: string;
  /** In the order they stand in it. */
  readonly entries: readonly {
    readonly name: string;
    readonly origin: string;
    readonly tier: Tier;
    readonly digest: string;
  }[];
}

/** The rules and skills of a task, as this member would be told them with it. */
export interface DescribedRider {
  /** The recipe's id of the task. */
  readonly task: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly entries: readonly { readonly name: string; readonly trust: 'instruction' | 'reference' }[];
}

export interface DescribedPrompt {
  readonly slug: string;
  readonly member: string;
  /** Exactly as it is joined for a model that takes one text. */
  readonly text: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly parts: readonly DescribedPart[];
  /** What stands in front of the member's first input and is no part of the prompt; null: nothing. */
  readonly reference: DescribedBlock | null;
  /** What rides with tasks of the recipe that this member may be offered. */
  readonly tasks: readonly DescribedRider[];
  readonly findings: readonly Finding[];
}

/** What of an order decides about a prompt. */
export type PromptOrder = Pick<RunOrder, 'slug' | 'variables' | 'safety'>;

/**
 * Describes the prompt of one member; `lead` means the lead. Refused for everything that would refuse the run's
 * prompts: an unknown recipe, a missing variable, a skill that there is not.
 */
export async function describePrompt(
  house: House,
  order: PromptOrder,
  name: string,
): Promise<Found<DescribedPrompt>> {
  const team = await seatTeam(house, order);
  if (team.kind === 'refused')
    return { kind: 'refused', findings: await withTrustFindings(house, team.findings) };
  const { recipe, roster } = team;
  const member = roster.members.find((one) => sameRole(one.name, name) || (one.lead && name === 'lead'));
  if (member === undefined) return { kind: 'refused', findings: [noMember(name, recipe)] };
  const { registry, loadouts, findings } = await composeToShow(house, team);
  if (hasErrors(findings)) return { kind: 'refused', findings };
  const parts = loadouts.prompts.get(member.name) ?? [];
  const text = joinPrompt(parts);
  const value = {
    slug: recipe.slug,
    member: member.name,
    text,
    sha256: sha256(text),
    bytes: Buffer.byteLength(text),
    parts: parts.map((part) => describedPart(part, member, recipe, registry)),
    reference: describedBlock(loadouts.references.get(member.name)),
    tasks: describedRiders(member, recipe, loadouts),
    findings,
  };
  return { kind: 'found', value };
}

function describedPart(
  part: PromptPart,
  { role }: RosterMember,
  recipe: Recipe,
  registry: Registry,
): DescribedPart {
  const proof = { sha256: sha256(part.text), bytes: Buffer.byteLength(part.text), text: part.text };
  const from = sourceOf(part.name, { role, contract: recipe }, recipe.process, registry);
  if (from !== undefined) {
    return { name: part.name, origin: from.path, tier: from.tier, digest: from.digest, ...proof };
  }
  const origin = part.name === 'roster' ? 'the recipe and the descriptions of its roles' : 'bnerd itself';
  return { name: part.name, origin, tier: null, digest: null, ...proof };
}

function describedBlock(block: ReferenceBlock | undefined): DescribedBlock | null {
  if (block === undefined) return null;
  const { text, entries } = block;
  return {
    sha256: sha256(text),
    bytes: Buffer.byteLength(text),
    text,
    entries: entries.map(({ name, path, tier, digest }) => ({ name, origin: path, tier, digest })),
  };
}

/** Of the tasks that may be offered to the member by its role; of others a lead would have to give it one. */
function describedRiders(member: RosterMember, { tasks }: Recipe, { ofTasks }: Loadouts): DescribedRider[] {
  return tasks
    .filter(({ role }) => role === null || role === member.name)
    .flatMap(({ id }) => {
      const rider = ofTasks.get(id)?.find(({ members }) => members.includes(member.name));
      if (rider === undefined) return [];
      const entries = rider.entries.map(({ name, trust }) => ({ name, trust }));
      return [{ task: id, sha256: rider.sha256, bytes: rider.bytes, entries }];
    });
}

interface Source {
  readonly path: string;
  readonly tier: Tier;
  readonly digest: string;
}

function sourceOf(
  part: string,
  own: { readonly role: Source; readonly contract: Source },
  process: string | null,
  registry: Registry,
): Source | undefined {
  if (part === 'role' || part === 'contract') return own[part];
  if (part === 'process') {
    const resolved = resolveName(process ?? '', registry, own.contract.path);
    return resolved.kind === 'entry' ? resolved.entry : undefined;
  }
  const colon = part.indexOf(':');
  return colon === -1 ? undefined : registry.byName.get(part.slice(colon + 1));
}

function noMember(name: string, recipe: Recipe): Finding {
  return {
    code: 'unknown-role',
    severity: 'error',
    path: '--prompt',
    message: `recipe ${recipe.slug} has no role "${name}"; allowed: one of its roles, or lead`,
    remedy: nameRemedy(name, [...recipe.roles, 'lead']),
  };
}
