/**
 * What can be run: recipes and roles of all tiers (spec/team.md §1). This is the map of the folder.
 *
 *   tiers            where files lie                    find-files, source-file    finding and reading them
 *   trust            the operator's word, as a port     judge-file, file-digest    which files count, by which text
 *   head-fields      what a listing shows of a file     recipe-index, role-index   what there is, what shadows what
 *   unused-files     what is said of files that do not count
 *   written-mapping  frontmatter with line numbers      (shared/yaml-document, yaml-problems: YAML itself)
 *   shape            fields against a schema            recipe-keys                keys that nobody reads
 *   recipe(-file)    a recipe: working, written shape   parse-recipe, -checks      text → recipe
 *   role(-file)      a role: working, written shape     parse-role                 text → role
 *   load-recipe, load-roles   one recipe, several roles: found, read whole, parsed
 *   roster           recipe + roles → seats             lint(-recipe, -targets)    what can be said without running
 *   scan-fields, limits, variables, task-graph, names, role-identity, name-list, inner-path, shadowing: one idea each
 *
 * Always true: no function here throws for what a file says or for a file that cannot be read; the schema and YAML
 * libraries are loaded when a file is read whole, not for a listing.
 */

import { type Finding, hasErrors } from '../shared/findings.js';
import type { LintReport } from './lint.js';
import type { LoadedRoles } from './load-roles.js';
import type { RecipeLoad } from './parse-recipe.js';
import type { RoleLoad } from './parse-role.js';
import type { Recipe } from './recipe.js';
import { indexRecipes, type RecipeList, recipeListings } from './recipe-index.js';
import { indexRoles, type RoleListing, roleListings } from './role-index.js';
import type { RosterLoad } from './roster.js';
import type { CataloguePlaces } from './tiers.js';

/** Every recipe by slug, shadowed and untrusted ones included, from the heads of the files. */
export async function listRecipes(places: CataloguePlaces): Promise<RecipeList> {
  return recipeListings(await indexRecipes(places));
}

/** The recipe a slug stands for, whole; `refused` when it is unknown, unreadable or has an error. */
export async function loadRecipe(places: CataloguePlaces, slug: string): Promise<RecipeLoad> {
  const { readRecipe } = await import('./load-recipe.js');
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
  const { readRole } = await import('./load-roles.js');
  return readRole(places, name);
}

/** Several roles over one look at the places. */
export async function loadRoles(places: CataloguePlaces, names: readonly string[]): Promise<LoadedRoles> {
  const { readRoles } = await import('./load-roles.js');
  return readRoles(places, names);
}

/**
 * The roster of a recipe, with the findings of its roles and of the lint of shape; `refused` when one of them is
 * an error (spec/team.md §1 "run lints first and refuses on errors"). Findings name every role file that is not used.
 */
export async function loadRoster(places: CataloguePlaces, recipe: Recipe): Promise<RosterLoad> {
  const { readRoles } = await import('./load-roles.js');
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
