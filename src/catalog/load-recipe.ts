/** One recipe by its slug: found, read whole, parsed. */

import { didYouMean } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';
import { parseRecipe, type RecipeLoad } from './parse-recipe.js';
import { indexRecipes, locateRecipe } from './recipe-index.js';
import { readSource } from './source-file.js';
import type { CataloguePlaces } from './tiers.js';

/** The recipe a slug stands for; an unknown slug is refused with the known ones. */
export async function readRecipe(places: CataloguePlaces, slug: string): Promise<RecipeLoad> {
  const file = await locateRecipe(places, slug);
  if (file === undefined) return { kind: 'refused', findings: await unknownRecipe(places, slug) };
  const source = await readSource(file.path, file.root);
  if (source.kind === 'unreadable') return { kind: 'refused', findings: [source.finding] };
  return parseRecipe({ path: file.path, tier: file.tier, text: source.text }, slug);
}

/** The finding of a slug that stands for nothing, and why places could not be looked into, if any could not. */
export async function unknownRecipe(places: CataloguePlaces, slug: string): Promise<Finding[]> {
  const { recipes, findings } = await indexRecipes(places);
  const known = [...new Set(recipes.map((recipe) => recipe.slug))];
  const meant = didYouMean(slug, known);
  const listed = known.length === 0 ? 'no recipe is known here' : `known: ${known.join(', ')}`;
  const remedy = meant === undefined ? listed : `did you mean "${meant}"? ${listed}`;
  const message = `there is no recipe "${slug}"`;
  const ofPlaces = findings.filter((finding) => PLACE_CODES.includes(finding.code));
  return [{ code: 'unknown-recipe', severity: 'error', path: slug, message, remedy }, ...ofPlaces];
}

/** Findings on a place as a whole: they may be why a slug is not known. */
const PLACE_CODES: readonly string[] = ['missing-place', 'unreadable-folder', 'link-leads-out', 'bad-slug'];
