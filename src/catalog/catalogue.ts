/**
 * What can be run: recipes and roles of all tiers (spec/team.md §1). This is the map of the folder.
 *
 *   tiers, surroundings, open-places   where files lie around a run, and which of these places are trusted
 *   trust                              the operator's word, as a port; trust/ reads and edits the files that hold it
 *   files/                             from a folder to a mapping: found, read, judged, with lines and shape
 *   recipes/                           a recipe: listed, loaded, parsed, checked, its variables filled in
 *   roles/                             a role: listed, loaded, parsed
 *   roster                             recipe + roles → seats
 *   lint, lint-recipe, lint-targets    what can be said without running
 *   json-schema                        the written shapes, published
 *
 * Always true: no function here throws for what a file says or for a file that cannot be read; the schema and YAML
 * libraries are loaded when a file is read whole, not for a listing.
 */

import { type Finding, hasErrors } from '../shared/findings.js';
import type { LintReport } from './lint.js';
import type { RecipeLoad } from './recipes/parse-recipe.js';
import type { Recipe } from './recipes/recipe.js';
import { indexRecipes, type RecipeList, recipeListings } from './recipes/recipe-index.js';
import type { LoadedRoles } from './roles/load-roles.js';
import type { RoleLoad } from './roles/parse-role.js';
import { indexRoles, type RoleListing, roleListings } from './roles/role-index.js';
import type { RosterLoad } from './roster.js';
import type { CataloguePlaces } from './tiers.js';

/** Every recipe by slug, shadowed and untrusted ones included, from the heads of the files. */
export async function listRecipes(places: CataloguePlaces): Promise<RecipeList> {
  return recipeListings(await indexRecipes(places));
}

/** The recipe a slug stands for, whole; `refused` when it is unknown, unreadable or has an error. */
export async function loadRecipe(places: CataloguePlaces, slug: string): Promise<RecipeLoad> {
  const { readRecipe } = await import('./recipes/load-recipe.js');
  return readRecipe(places, slug);
}

/** Every role by name, shadowed and untrusted ones included, from the heads of the files. */
export async function listRoles(
  places: CataloguePlaces,
): Promise<{ readonly roles: readonly RoleListing[]; readonly findings: readonly Finding[] }> {
  return roleListings(await indexRoles(places));
}

/** The role a name stands for, whole; names are compared without case and `-`, `_`, blanks. */
export async function loadRole(places: CataloguePlaces, name: string): Promise<RoleLoad> {
  const { readRole } = await import('./roles/load-roles.js');
  return readRole(places, name);
}

/** Several roles over one look at the places. */
export async function loadRoles(places: CataloguePlaces, names: readonly string[]): Promise<LoadedRoles> {
  const { readRoles } = await import('./roles/load-roles.js');
  return readRoles(places, names);
}

/**
 * The roster of a recipe, with the findings of its roles and of the lint of shape; `refused` when one of them is
 * an error (spec/team.md §1 "run lints first and refuses on errors"). Findings name every role file that is not used.
 */
export async function loadRoster(places: CataloguePlaces, recipe: Recipe): Promise<RosterLoad> {
  const { readRoles } = await import('./roles/load-roles.js');
  const { buildRoster } = await import('./roster.js');
  const { lintRoster } = await import('./lint-recipe.js');
  const roles = await readRoles(places, recipe.roles);
  const load = buildRoster(recipe, roles);
  const shape = load.kind === 'built' ? lintRoster(load.roster) : [];
  const findings = [...load.findings, ...shape, ...roles.unused];
  if (load.kind === 'refused') return { ...load, findings };
  return hasErrors(findings) ? { kind: 'refused', findings } : { ...load, findings };
}

/** Lints recipes and roles by slug, name or path; all of them when no target is given. */
export async function lintTargets(places: CataloguePlaces, targets: readonly string[]): Promise<LintReport> {
  const { lintShape } = await import('./lint.js');
  return lintShape(places, targets);
}
