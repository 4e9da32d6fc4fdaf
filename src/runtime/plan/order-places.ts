/** The directories of a run: its workspace and what else it may read (spec/team.md §1 `workspace`, `reads`). */

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import { systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import type { House } from '../house.js';

export interface RunPlaces {
  /** Absolute real path; null for a fresh directory that is made when the run starts. */
  readonly workspace: string | null;
  readonly reads: readonly string[];
  readonly findings: readonly Finding[];
}

/** Resolves the places of a recipe. Each must be an existing directory inside the directory it is relative to. */
export async function resolvePlaces(house: House, recipe: Recipe): Promise<RunPlaces> {
  const fromMission = recipe.pathBase === 'mission-repository' && house.mission !== null;
  const base = fromMission ? house.mission.path : house.workingDirectory;
  const findings: Finding[] = [];
  const resolve = async (path: string, ...at: [string, ...number[]]): Promise<string> => {
    const found = await innerDirectory(base, path);
    if (typeof found === 'string') return found;
    const [field] = at;
    findings.push({
      code: found.code,
      severity: 'error',
      ...placeIn(recipe, at),
      message: `${field}: "${path}" ${found.what} (looked for in ${base})`,
      remedy: `make the directory, or change ${field} in the recipe`,
    });
    return base;
  };
  const { workspace } = recipe;
  const place =
    workspace.kind === 'temp'
      ? null
      : await resolve(workspace.kind === 'inner' ? workspace.path : '.', 'workspace');
  const reads: string[] = [];
  for (const [at, path] of recipe.reads.entries()) reads.push(await resolve(path, 'reads', at));
  return { workspace: place, reads, findings };
}

async function innerDirectory(base: string, path: string): Promise<string | { code: string; what: string }> {
  try {
    const [root, real] = await Promise.all([realpath(base), realpath(join(base, path))]);
    if (!isInside(real, root)) return { code: 'path-leads-out', what: 'leads out through a link' };
    if (!(await stat(real)).isDirectory()) return { code: 'not-a-directory', what: 'is not a directory' };
    return real;
  } catch (error) {
    return { code: 'missing-directory', what: `cannot be used: ${systemCode(error) ?? String(error)}` };
  }
}
