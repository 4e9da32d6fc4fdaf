/** What a recipe says that only the runtime can judge: the same for `run` and `lint` (spec/team.md §1). */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Finding } from '../../shared/findings.js';
import { ruleToolFindings } from './rule-tools.js';

/**
 * Permission rules about tools that there are not.
 * @param provided names of tools that entries provide
 */
export function recipeFindings(recipe: Recipe, provided: ReadonlySet<string>): Finding[] {
  return ruleToolFindings(recipe.permissions, (at) => placeIn(recipe, ['permissions', at, 'tool']), provided);
}
