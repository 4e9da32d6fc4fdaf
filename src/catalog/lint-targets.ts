/**
 * Which files the targets of `bnerd team lint` stand for: the slug of a recipe, the name of a role, the path of a
 * file or a folder, or nothing at all for every recipe and role there is.
 */

import { stat } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import type { Finding } from '../shared/findings.js';
import { isInside } from '../shared/inner-path.js';
import { roleIdentity } from '../shared/role-identity.js';
import { type FoundFile, findRoleFiles } from './files/find-files.js';
import { isThere } from './files/is-there.js';
import type { Contender } from './files/shadowing.js';
import { strongestUnused } from './files/unused-files.js';
import { missingRecipe } from './recipes/load-recipe.js';
import { indexRecipes } from './recipes/recipe-index.js';
import { indexRoles } from './roles/role-index.js';
import { type CataloguePlaces, recipePlaces, rolePlaces } from './tiers.js';

/** The files of a target, and what was found while looking for them. */
export interface TargetFiles {
  readonly files: readonly FoundFile[];
  readonly findings: readonly Finding[];
}

/** Every recipe and role of the places: used, shadowed, and, each with its mark, untrusted. */
export async function allFiles(places: CataloguePlaces): Promise<TargetFiles> {
  const recipes = await indexRecipes(places);
  const roles = await indexRoles(places);
  const files = [...recipes.recipes, ...roles.roles];
  // What is wrong with a file is said again, and more fully, when it is read whole.
  const paths = new Set(files.map((file) => file.path));
  const findings = [...recipes.findings, ...roles.findings].filter(
    (finding) => !paths.has(finding.path) || finding.code === 'duplicate-role-file',
  );
  return { files, findings: [...findings, ...recipes.trustFile, ...files.flatMap(mark)] };
}

/**
 * The files of one target: of a name the file that is used, else the one that an approval would make so. A word that
 * stands for nothing is a finding with the known slugs.
 */
export async function filesOf(places: CataloguePlaces, target: string): Promise<TargetFiles> {
  if (looksLikePath(target)) return filesAt(places, target);
  const recipes = await indexRecipes(places);
  const { roles, winners } = await indexRoles(places);
  const identity = roleIdentity(target);
  const file =
    recipes.winners.get(target) ??
    winners.get(identity) ??
    strongestUnused(recipes.recipes, target) ??
    strongestUnused(roles, identity);
  if (file === undefined && (await isThere(target))) return filesAt(places, target);
  if (file === undefined) {
    const message = `there is no recipe, role, file or folder "${target}"`;
    const findings = missingRecipe(recipes, target).map((finding) =>
      finding.code === 'unknown-recipe' ? { ...finding, code: 'unknown-target', message } : finding,
    );
    return { files: [], findings };
  }
  return { files: [file], findings: mark(file) };
}

function mark({ standing }: Contender): Finding[] {
  return standing.kind === 'unused' ? [standing.remark] : [];
}

function looksLikePath(target: string): boolean {
  return /[/\\]/.test(target) || /\.md$/i.test(target) || target === '.' || target === '..';
}

/** A path that was named lies where its author put it: no link on it is held against it, but those found below are. */
async function filesAt(places: CataloguePlaces, path: string): Promise<TargetFiles> {
  const full = resolve(path);
  const known = [...recipePlaces(places), ...rolePlaces(places)].find(({ folder }) =>
    isInside(full, resolve(folder)),
  );
  const elsewhere = { tier: 'project', tree: 'bnerd', folder: parse(full).dir, approval: null } as const;
  if (await isFolder(path)) {
    return findRoleFiles({ ...(known ?? { ...elsewhere, root: path }), folder: path });
  }
  return { files: [{ ...(known ?? { ...elsewhere, root: parse(full).root }), path }], findings: [] };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // reading it as a file says what is wrong
  }
}
