/** What is said about models in the files of a recipe and its roles, and in the operator's own: for `run` and `lint`. */

import { dirname } from 'node:path';
import { lineAt } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Roster } from '../../catalog/roster.js';
import { recipePlaces } from '../../catalog/tiers.js';
import type { ModelSources } from '../../models/choice/choose-model.js';
import { isInside } from '../../shared/inner-path.js';
import { type House, placesOf } from '../house.js';

/** @param flags values of `--model` */
export async function modelSources(
  house: House,
  recipe: Recipe,
  roster: Roster,
  flags: readonly string[],
): Promise<ModelSources> {
  return {
    flags,
    roles: roster.members.map(({ name, role }) => ({
      name,
      path: role.path,
      line: lineAt(role.lines, ['model']),
      model: role.model,
    })),
    recipe: { path: recipe.path, line: lineAt(recipe.lines, ['model']), model: recipe.model },
    config: { path: '~/.bnerd.yaml', model: house.configModel },
    recipeFolder: (await countsByPlace(house, recipe)) ? dirname(recipe.path) : null,
    workingDirectory: house.workingDirectory,
  };
}

/** Whether all of the place counts in which a recipe lies, or the text of that recipe alone. */
export async function countsByPlace(house: House, { path, tier }: Recipe): Promise<boolean> {
  const place = recipePlaces(placesOf(house)).find((one) => one.tier === tier && isInside(path, one.folder));
  if (place === undefined) return false;
  return place.approval === null || (await place.approval.trust.placeTrusted(place.root));
}
