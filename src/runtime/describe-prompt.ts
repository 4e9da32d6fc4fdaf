/**
 * The system prompt that a run would give to a member: composed by the very functions that a run composes with, so
 * that its SHA-256 is the `prompt_sha256` of `member.spawned` (spec/team.md §1, §2). Nothing is run or written, and
 * no model has to be configured.
 */

import { loadRecipe, loadRoster } from '../catalog/catalogue.js';
import type { Recipe } from '../catalog/recipes/recipe.js';
import { fillRecipe, resolveValues } from '../catalog/recipes/variables.js';
import type { RosterMember } from '../catalog/roster.js';
import type { Tier } from '../catalog/tiers.js';
import type { PromptPart } from '../models/model.js';
import { FREE } from '../models/settings.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import { sha256 } from '../shared/digest.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import { sameRole } from '../shared/role-identity.js';
import { parseAdditions } from '../skills/additions.js';
import { loadRegistry, type Registry } from '../skills/registry.js';
import type { Found } from './find-team.js';
import { type House, placesOf } from './house.js';
import { joinPrompt } from './plan/compose-prompt.js';
import { composeLoadouts } from './plan/loadout.js';
import { tightenSafety } from './plan/order-safety.js';
import type { RunOrder } from './plan/run-order.js';

const LOAD_DEADLINE_MS = 60_000;

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

export interface DescribedPrompt {
  readonly slug: string;
  readonly member: string;
  /** Exactly as it is joined for a model that takes one text. */
  readonly text: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly parts: readonly DescribedPart[];
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
  const places = placesOf(house);
  const loaded = await loadRecipe(places, order.slug);
  if (loaded.kind === 'refused')
    return { ...loaded, findings: [...loaded.findings, ...(await house.trust.findings())] };
  const values = resolveValues(loaded.recipe.variables, order.variables);
  if (values.kind === 'refused') return values;
  const filled = fillRecipe(loaded.recipe, values.values);
  if (filled.kind === 'refused') return filled;
  const { recipe } = filled;
  const built = await loadRoster(places, recipe);
  const safety = tightenSafety(recipe.safety, order.safety);
  if (built.kind === 'refused') {
    const findings = [...built.findings, ...safety.findings, ...(await house.trust.findings())];
    return { kind: 'refused', findings };
  }
  const { roster } = built;
  const member = roster.members.find((one) => sameRole(one.name, name) || (one.lead && name === 'lead'));
  if (member === undefined) return { kind: 'refused', findings: [noMember(name, recipe)] };
  const additions = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const registry = await loadRegistry(places, {
    signal: AbortSignal.timeout(LOAD_DEADLINE_MS),
    log: { info: () => {} },
  });
  const loadouts = composeLoadouts({
    roster,
    contract: recipe.contract,
    safety: safety.safety,
    registry,
    additions: additions.additions,
    models: new Map(),
    factsOf: () => FREE,
  });
  const findings = [
    ...loaded.findings,
    ...built.findings,
    ...safety.findings,
    ...additions.findings,
    ...registry.findings,
    ...loadouts.findings,
    ...(await house.trust.findings()),
  ];
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
  const from = sourceOf(part.name, { role, contract: recipe }, registry);
  if (from !== undefined) {
    return { name: part.name, origin: from.path, tier: from.tier, digest: from.digest, ...proof };
  }
  const origin = part.name === 'roster' ? 'the recipe and the descriptions of its roles' : 'bnerd itself';
  return { name: part.name, origin, tier: null, digest: null, ...proof };
}

interface Source {
  readonly path: string;
  readonly tier: Tier;
  readonly digest: string;
}

function sourceOf(
  part: string,
  own: { readonly role: Source; readonly contract: Source },
  registry: Registry,
): Source | undefined {
  if (part === 'role' || part === 'contract') return own[part];
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
