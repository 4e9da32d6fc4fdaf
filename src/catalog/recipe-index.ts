/**
 * Which recipes there are, told from their heads alone: what `team list` shows. Loads neither the YAML parser
 * nor a schema unless a file needs them.
 *
 * Always true: a file that cannot be read is listed without a description and leaves a finding; it still holds
 * its slug, so that a broken recipe never lets a weaker one run in its place.
 */

import type { Finding } from '../shared/findings.js';
import { byCodeUnits, type FoundRecipe, findRecipeFile, findRecipeFiles } from './find-files.js';
import { headFields } from './head-fields.js';
import { winnersOf } from './shadowing.js';
import { readSourceHead } from './source-file.js';
import { type CataloguePlaces, recipePlaces, type Tier } from './tiers.js';

/** A recipe as a listing shows it. */
export interface RecipeListing {
  readonly slug: string;
  /** Null when the file has none that could be read. */
  readonly description: string | null;
  readonly tier: Tier;
  readonly path: string;
  /** The path of the file that is used instead of this one; null when this one is used. */
  readonly shadowedBy: string | null;
}

export interface RecipeList {
  /** By slug; of one slug the file that is used comes first. */
  readonly recipes: readonly RecipeListing[];
  readonly findings: readonly Finding[];
}

/** Every recipe of every place, shadowed ones included. */
export async function indexRecipes(places: CataloguePlaces): Promise<RecipeList> {
  const findings: Finding[] = [];
  const found: (FoundRecipe & { key: string; rank: number; description: string | null })[] = [];
  for (const [rank, place] of recipePlaces(places).entries()) {
    const { files, findings: remarks } = await findRecipeFiles(place);
    findings.push(...remarks);
    for (const file of files) {
      const head = await readHead(file);
      findings.push(...head.findings);
      found.push({ ...file, key: file.slug, rank, description: head.description });
    }
  }
  const winners = winnersOf(found);
  const recipes = found
    .sort((one, other) => byCodeUnits(one.slug, other.slug) || other.rank - one.rank)
    .map(({ slug, description, tier, path }) => {
      const winner = winners.get(slug)?.path ?? path;
      return { slug, description, tier, path, shadowedBy: winner === path ? null : winner };
    });
  return { recipes, findings };
}

/** The file that a slug stands for, without looking at any other. */
export async function locateRecipe(places: CataloguePlaces, slug: string): Promise<FoundRecipe | undefined> {
  for (const place of recipePlaces(places).reverse()) {
    const file = await findRecipeFile(place, slug);
    if (file !== undefined) return file;
  }
  return undefined;
}

async function readHead(
  file: FoundRecipe,
): Promise<{ description: string | null; findings: readonly Finding[] }> {
  const source = await readSourceHead(file.path, file.root);
  if (source.kind === 'unreadable') return { description: null, findings: [source.finding] };
  const head = await headFields(file.path, source.text, ['description'], 'recipe');
  if (head.kind === 'broken') return { description: null, findings: head.findings };
  return { description: head.values.get('description') ?? null, findings: [] };
}
