/**
 * From the slug of a recipe and an operator's wishes to seats: the recipe with its variables filled in, its safety
 * mode, its roster. The first half of the one way from files to a team that `run`, `describe` and `lint` go;
 * `compose-team.ts` is the second.
 *
 * Always true: a fault of one step hides no fault of a later one that can be found without it.
 */

import { loadRecipe, loadRoster } from '../../catalog/catalogue.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import { fillRecipe, resolveValues } from '../../catalog/recipes/variables.js';
import type { Roster } from '../../catalog/roster.js';
import type { Safety } from '../../events/facts/frozen.js';
import type { Finding } from '../../shared/findings.js';
import { type House, placesOf } from '../house.js';
import { tightenSafety } from './order-safety.js';

export interface SeatWishes {
  readonly slug: string;
  /** Values of `--var` by name; null: nobody is asked for any, and the texts stay as they are written. */
  readonly variables: ReadonlyMap<string, string> | null;
  /** Of `--safety`; null: the recipe's floor. */
  readonly safety: Safety | null;
}

export interface SeatedTeam {
  readonly kind: 'seated';
  /** With its variables filled in, as far as they have values. */
  readonly recipe: Recipe;
  readonly values: ReadonlyMap<string, string>;
  readonly safety: Safety;
  readonly roster: Roster;
  /** Errors among them refuse a run; the seats are there to find what else does. */
  readonly findings: readonly Finding[];
}

export type Seating =
  | SeatedTeam
  | {
      readonly kind: 'refused';
      /** Null when it could not be loaded. */
      readonly recipe: Recipe | null;
      readonly findings: readonly Finding[];
    };

/** Seats the team of a recipe; refused when there is no recipe or not every role has a seat. */
export async function seatTeam(
  house: House,
  { slug, variables, safety: wish }: SeatWishes,
): Promise<Seating> {
  const places = placesOf(house);
  const loaded = await loadRecipe(places, slug);
  if (loaded.kind === 'refused') return { kind: 'refused', recipe: null, findings: loaded.findings };
  const filled = withValues(loaded.recipe, variables);
  const { recipe, values } = filled;
  const built = await loadRoster(places, recipe);
  const { safety, findings: loosened } = tightenSafety(recipe.safety, wish);
  const findings = [...loaded.findings, ...filled.findings, ...built.findings, ...loosened];
  if (built.kind === 'refused') return { kind: 'refused', recipe, findings };
  return { kind: 'seated', recipe, values, safety, roster: built.roster, findings };
}

function withValues(
  recipe: Recipe,
  given: SeatWishes['variables'],
): Pick<SeatedTeam, 'recipe' | 'values' | 'findings'> {
  if (given === null) return { recipe, values: new Map(), findings: [] };
  const resolved = resolveValues(recipe.variables, given);
  const values: SeatedTeam['values'] = resolved.kind === 'resolved' ? resolved.values : new Map();
  const filled = fillRecipe(recipe, values);
  return {
    recipe: filled.kind === 'filled' ? filled.recipe : recipe,
    values,
    findings: [resolved, filled].flatMap((step) => (step.kind === 'refused' ? step.findings : [])),
  };
}
