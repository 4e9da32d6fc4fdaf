/** The rules about confirmations that a run begins with: those of the operator's settings and of the recipe. */

import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { PermissionRule } from '../../events/facts/frozen.js';
import type { House } from '../house.js';

/** The settings' rules first, then the recipe's; the order decides nothing: deny beats ask beats allow. */
export function permissionRules(house: House, recipe: Recipe): PermissionRule[] {
  const of = (origin: string, rules: House['permissions']): PermissionRule[] =>
    rules.map((rule) => ({ ...rule, origin }));
  return [...of('settings', house.permissions), ...of('recipe', recipe.permissions)];
}
