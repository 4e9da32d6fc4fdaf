/** What is said about models in the files of a recipe and its roles, and in the operator's own: for `run` and `lint`. */

import { dirname } from 'node:path';
import { lineAt } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Roster } from '../../catalog/roster.js';
import type { ModelSources } from '../../models/choice/choose-model.js';
import type { House } from '../house.js';

/** @param flags values of `--model` */
export function modelSources(
  house: House,
  recipe: Recipe,
  roster: Roster,
  flags: readonly string[],
): ModelSources {
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
    recipeFolder: dirname(recipe.path),
    workingDirectory: house.workingDirectory,
  };
}
