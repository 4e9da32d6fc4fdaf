/**
 * Which recipes there are, told from their heads alone: what `team list` shows. Loads neither the YAML parser
 * nor a schema unless a file needs them.
 *
 * Always true: a file that counts and cannot be read is listed without a description and leaves a finding; it still
 * holds its slug, so that a broken recipe never lets a weaker one run in its place. Of a file that does not count
 * nothing is said but that.
 */

import type { Finding } from '../../shared/findings.js';
import { inGroups } from '../../shared/in-groups.js';
import { type FoundRecipe, findRecipeFiles } from '../files/find-files.js';
import { glimpse, headFields } from '../files/head-fields.js';
import { judgeFile } from '../files/judge-file.js';
import { byKeyThenUse, type Contender, type Counting, winnersOf } from '../files/shadowing.js';
import { unusedRemarks, unusedTrustFile } from '../files/unused-files.js';
import { type CataloguePlaces, recipePlaces, type Tier } from '../tiers.js';

/** A recipe as a listing shows it. It is used when it is trusted and not shadowed. */
export interface RecipeListing {
  readonly slug: string;
  /** Null when the file has none that could be read. */
  readonly description: string | null;
  readonly tier: Tier;
  readonly path: string;
  readonly trust: 'trusted' | 'untrusted' | 'revoked';
  /** The path of the file that is used instead of this trusted one; null when this one is used. */
  readonly shadowedBy: string | null;
}

export interface RecipeList {
  /** By slug; of one slug the file that is used comes first. */
  readonly recipes: readonly RecipeListing[];
  readonly findings: readonly Finding[];
}

/** A recipe file with what its head says; `key` is its slug. */
export interface IndexedRecipe extends FoundRecipe, Contender {
  readonly description: string | null;
}

export interface RecipeIndex {
  /** By slug; of one slug the file that is used comes first. */
  readonly recipes: readonly IndexedRecipe[];
  /** The file that is used, by slug. */
  readonly winners: ReadonlyMap<string, Counting<IndexedRecipe>>;
  /** On places, and on files that count. */
  readonly findings: readonly Finding[];
  /** On a trust file that does not count. */
  readonly trustFile: readonly Finding[];
}

/** Every recipe of every place: used, shadowed, untrusted. */
export async function indexRecipes(places: CataloguePlaces): Promise<RecipeIndex> {
  const findings: Finding[] = [];
  const found: (FoundRecipe & { readonly rank: number })[] = [];
  for (const [rank, place] of recipePlaces(places).entries()) {
    const { files, findings: remarks } = await findRecipeFiles(place);
    findings.push(...remarks);
    found.push(...files.map((file) => ({ ...file, rank })));
  }
  const heads = await inGroups(found, readHead);
  findings.push(...heads.flatMap(({ broken }) => broken));
  const all = heads.map(({ recipe }) => recipe);
  const winners = winnersOf(all);
  const recipes = all.sort(byKeyThenUse<IndexedRecipe>(winners));
  return { recipes, winners, findings, trustFile: await unusedTrustFile(places) };
}

/** What a listing shows of an index. */
export function recipeListings({ recipes, winners, findings, trustFile }: RecipeIndex): RecipeList {
  return {
    recipes: recipes.map(({ slug, description, tier, path, standing }) => {
      const listed = { slug, description, tier, path };
      if (standing.kind === 'unused') return { ...listed, trust: standing.why, shadowedBy: null };
      const winner = winners.get(slug)?.path ?? path;
      return { ...listed, trust: 'trusted', shadowedBy: winner === path ? null : winner };
    }),
    findings: [...findings, ...trustFile, ...unusedRemarks(recipes, [])],
  };
}

async function readHead(
  file: FoundRecipe & { readonly rank: number },
): Promise<{ readonly recipe: IndexedRecipe; readonly broken: readonly Finding[] }> {
  const { head, standing } = await judgeFile(file, 'recipe');
  const listed = (description: string | null, broken: readonly Finding[]) => ({
    recipe: { ...file, key: file.slug, description, standing },
    broken: standing.kind === 'counts' ? broken : [],
  });
  if (head.kind === 'unreadable') return listed(null, [head.finding]);
  if (standing.kind === 'unused')
    return listed(glimpse(head.text, ['description']).get('description') ?? null, []);
  const fields = await headFields(file.path, head.text, ['description'], 'recipe');
  return fields.kind === 'broken'
    ? listed(null, fields.findings)
    : listed(fields.values.get('description') ?? null, []);
}
