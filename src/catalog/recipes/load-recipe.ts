/** One recipe by its slug: found, judged, read whole, parsed. */

import { didYouMean } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { TOO_MANY_FILES } from '../files/find-files.js';
import { readCounting, sourceOf } from '../files/judge-file.js';
import { strongestUnused, unusedRemarks } from '../files/unused-files.js';
import type { CataloguePlaces } from '../tiers.js';
import { needsTrust } from '../trust.js';
import { parseRecipe, type RecipeLoad } from './parse-recipe.js';
import { indexRecipes, type RecipeIndex } from './recipe-index.js';

/**
 * The recipe a slug stands for; an unknown slug is refused with the known ones, one that only an untrusted file has
 * with both ways out. Findings name every recipe file that is not used.
 */
export async function readRecipe(places: CataloguePlaces, slug: string): Promise<RecipeLoad> {
  const index = await indexRecipes(places);
  const file = index.winners.get(slug);
  const needed = file === undefined ? strongestUnused(index.recipes, slug) : undefined;
  const others = index.recipes.filter((recipe) => recipe !== needed);
  const notSeen = index.findings.filter(({ code }) => code === TOO_MANY_FILES);
  const unused = [...index.trustFile, ...notSeen, ...unusedRemarks(others, [slug])];
  if (file === undefined) return { kind: 'refused', findings: [...missingRecipe(index, slug), ...unused] };
  const source = await readCounting(file, file.standing);
  if (source.kind === 'unreadable') return { kind: 'refused', findings: [source.finding, ...unused] };
  const load = parseRecipe(sourceOf(file, source.text), slug);
  return { ...load, findings: [...load.findings, ...unused] };
}

/** Why a slug stands for nothing that may be used, and what is wrong with places, should that be the reason. */
export function missingRecipe(index: RecipeIndex, slug: string): Finding[] {
  const unused = strongestUnused(index.recipes, slug);
  if (unused?.standing.kind === 'unused') return [needsTrust(`the recipe "${slug}"`, unused.standing.remark)];
  const known = [...index.winners.keys()].sort();
  const untrusted = [...new Set(index.recipes.map(({ key }) => key))].filter((key) => !known.includes(key));
  const meant = didYouMean(slug, [...known, ...untrusted]);
  const remedy = [
    ...(meant === undefined ? [] : [`did you mean "${meant}"?`]),
    [
      known.length === 0 ? 'no recipe is known here' : `known: ${known.join(', ')}`,
      ...(untrusted.length === 0 ? [] : [`not before you trust it (bnerd trust): ${some(untrusted)}`]),
    ].join('; '),
  ].join(' ');
  const message = `there is no recipe "${slug}"`;
  const ofPlaces = index.findings.filter((finding) => PLACE_CODES.includes(finding.code));
  return [{ code: 'unknown-recipe', severity: 'error', path: slug, message, remedy }, ...ofPlaces];
}

/** A tree of strangers may hold many. */
function some(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}

const NAMED = 10;

/** Findings on a place as a whole: they may be why a slug is not known. */
const PLACE_CODES: readonly string[] = [
  'missing-place',
  'unreadable-folder',
  'link-leads-out',
  'bad-slug',
  TOO_MANY_FILES,
];
