/**
 * `bnerd team lint`, the part about shape: every file of the targets is read whole, a recipe together with the
 * roles it names, and every finding is given once. Files that nobody approved are checked like all others, and marked.
 */

import { basename, dirname, resolve } from 'node:path';
import { distinct, type Finding } from '../shared/findings.js';
import { splitFrontmatter } from '../shared/frontmatter.js';
import { fileStem } from '../shared/role-identity.js';
import type { FoundFile } from './files/find-files.js';
import { readSource, type SourceFile } from './files/source-file.js';
import { lintRecipe, lintRoster } from './lint-recipe.js';
import { allFiles, filesOf } from './lint-targets.js';
import { parseRecipe } from './recipes/parse-recipe.js';
import { readRoles } from './roles/load-roles.js';
import { parseRole } from './roles/parse-role.js';
import type { Role } from './roles/role.js';
import { buildRoster } from './roster.js';
import { type CataloguePlaces, RECIPE_FILE } from './tiers.js';

/** What was looked at, and what was found. */
export interface LintReport {
  /** Paths of the files, each once. */
  readonly checked: readonly string[];
  readonly findings: readonly Finding[];
  /** The roles among them, and those that recipes among them name, as far as they loaded; each once. */
  readonly roles: readonly Role[];
}

/**
 * Lints the targets (`lint-targets.ts`); without one, every recipe and role of the places.
 * @param targets slugs, role names and paths, as typed
 */
export async function lintShape(places: CataloguePlaces, targets: readonly string[]): Promise<LintReport> {
  const found =
    targets.length === 0
      ? [await allFiles(places)]
      : await Promise.all(targets.map((target) => filesOf(places, target)));
  const files = new Map(found.flatMap((target) => target.files).map((file) => [resolve(file.path), file]));
  const findings = found.flatMap((target) => [...target.findings]);
  const roles = new Map<string, Role>();
  for (const file of files.values()) {
    const looked = await lintFile(places, file);
    findings.push(...looked.findings);
    for (const role of looked.roles) roles.set(resolve(role.path), role);
  }
  // The roles of a recipe are looked at with it and, when they are targets, once more.
  const checked = [...files.values()].map((file) => file.path);
  return { checked, findings: distinct(findings), roles: [...roles.values()] };
}

interface Looked {
  readonly findings: readonly Finding[];
  /** The file, when it is a role that loaded; those that a recipe names. */
  readonly roles: readonly Role[];
}

async function lintFile(places: CataloguePlaces, file: FoundFile): Promise<Looked> {
  const read = await readSource(file.path, file.root);
  if (read.kind === 'unreadable') return { findings: [read.finding], roles: [] };
  const source: SourceFile = { path: file.path, tier: file.tier, text: read.text };
  if (isRecipe(source)) return lintRecipeFile(places, source);
  const load = parseRole(source);
  return { findings: load.findings, roles: load.kind === 'loaded' ? [load.role] : [] };
}

async function lintRecipeFile(places: CataloguePlaces, source: SourceFile): Promise<Looked> {
  const load = parseRecipe(source, slugOf(source.path));
  if (load.kind === 'refused') return { findings: load.findings, roles: [] };
  const roster = buildRoster(load.recipe, await readRoles(places, load.recipe.roles, 'lint'));
  const built = roster.kind === 'built' ? roster.roster : null;
  const odd = built === null ? lintRecipe(load.recipe) : lintRoster(built);
  const findings = [...load.findings, ...roster.findings, ...odd];
  return { findings, roles: built === null ? [] : built.members.map(({ role }) => role) };
}

/** A recipe is told by its file name, or, lying elsewhere, by naming a lead. */
function isRecipe(source: SourceFile): boolean {
  if (basename(source.path) === RECIPE_FILE) return true;
  const split = splitFrontmatter(source.text);
  return split.kind === 'split' && /^lead *:/m.test(split.frontmatter);
}

function slugOf(path: string): string {
  return basename(path) === RECIPE_FILE ? basename(dirname(resolve(path))) : fileStem(path);
}
