/** Whether a recipe can run on the engine that was asked for (spec/team.md §1 `mode`): flag, recipe, variable, in this order. */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Finding } from '../../shared/findings.js';

/** @param redis what has named a Redis, when one was named: a recipe beats a variable, and nothing beats a flag */
export function engineFindings(recipe: Recipe, redis: 'flag' | 'variable' | null): Finding[] {
  if (recipe.mode === 'queue' && redis === null)
    return otherEngine(
      recipe,
      'mode: queue is a team on a Redis, and none is named',
      'give --redis redis://host:port or set BNERD_REDIS_URL, or leave mode out',
    );
  if (recipe.mode === 'in-process' && redis === 'flag')
    return otherEngine(
      recipe,
      'mode: in-process is a team of one process, and --redis asks for another',
      'leave one of them out',
    );
  return [];
}

function otherEngine(recipe: Recipe, message: string, remedy: string): Finding[] {
  const place = placeIn(recipe, ['mode']);
  return [{ code: 'other-engine', severity: 'error', ...place, message, remedy }];
}
