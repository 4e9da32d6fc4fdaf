/** What `team describe` shows of a recipe: who, how safe, where, when to use it (spec/team.md §8). */

import type { Recipe } from '../catalog/recipes/recipe.js';
import { distinct, type Finding } from '../shared/findings.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import { loadEntries } from './load-entries.js';
import { seatTeam } from './plan/seat-team.js';
import { withTrustFindings } from './trust-findings.js';

export interface RecipeDescription {
  readonly slug: string;
  readonly description: string;
  readonly lead: string;
  readonly safety: string;
  readonly members: readonly { readonly name: string; readonly onDemand: boolean }[];
  /** Null: the working directory. */
  readonly workspace: string | null;
  readonly reads: readonly string[];
  readonly whenToUse: string | null;
  readonly tasks: readonly { readonly id: string; readonly subject: string; readonly role: string | null }[];
  readonly permissions: readonly {
    readonly tool: string;
    readonly match: string | null;
    readonly decision: string;
  }[];
  /** The engineer that the recipe delegates to; null: none. */
  readonly engineer: {
    /** Null: the first that is set up on the machine. */
    readonly kind: string | null;
    readonly pool: string | null;
    readonly model: string | null;
    /** Keys of the commands that check its work. */
    readonly verify: readonly string[];
    readonly policy: 'review' | 'complete_on_verified';
    readonly offers: number;
  } | null;
  readonly findings: readonly Finding[];
}

/** Describes one recipe; nothing is run and nothing is written. */
export async function describeRecipe(house: House, slug: string): Promise<Found<RecipeDescription>> {
  const { recipe, findings } = await seatTeam(house, { slug, variables: null, safety: null });
  if (recipe === null) return { kind: 'refused', findings: await withTrustFindings(house, findings) };
  const registry = await loadEntries(house);
  const onDemand = new Set(recipe.onDemand);
  return {
    kind: 'found',
    value: {
      slug,
      description: recipe.description,
      lead: recipe.lead,
      safety: recipe.safety,
      members: recipe.roles
        .filter((name) => name !== recipe.lead)
        .map((name) => ({ name, onDemand: onDemand.has(name) })),
      workspace:
        recipe.workspace.kind === 'temp'
          ? 'temp'
          : recipe.workspace.kind === 'inner'
            ? recipe.workspace.path
            : null,
      reads: recipe.reads,
      whenToUse: recipe.whenToUse,
      tasks: recipe.tasks.map(({ id, subject, role }) => ({ id, subject, role })),
      permissions: recipe.permissions,
      engineer: engineerOf(recipe),
      findings: distinct(await withTrustFindings(house, [...findings, ...registry.findings])),
    },
  };
}

function engineerOf({ engineer }: Recipe): RecipeDescription['engineer'] {
  if (engineer === null) return null;
  const { kind, pool, model, verify, policy, offers } = engineer;
  return { kind, pool, model, verify: [...verify.keys()], policy, offers };
}
