/** Who plays the members of a simulation: a script that is named, the recipe's own, or nobody who thinks. */

import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { House } from '../house.js';
import { countsByPlace } from './model-sources.js';
import type { RunOrder } from './run-order.js';

/**
 * The values of `--model` that a run is to be planned with. In a simulation: those of the order; else the script that the
 * recipe names, or `script.yaml` beside it, where that place counts; else the stand-in, which plays any role.
 */
export async function simulatedModels(
  house: House,
  recipe: Recipe,
  { simulation, models }: RunOrder,
): Promise<readonly string[]> {
  if (simulation === undefined || models.length > 0) return models;
  const own =
    recipe.model?.startsWith('script/') === true ? recipe.model.slice('script/'.length) : 'script.yaml';
  const file = resolve(house.workingDirectory, join(dirname(recipe.path), own));
  const named = own !== 'script.yaml' || (await isThere(file));
  return named && (await countsByPlace(house, recipe)) ? [`script/${file}`] : ['simulated/stand-in'];
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
