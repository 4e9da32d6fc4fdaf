/**
 * The published JSON Schemas of recipes and roles: made from the schemas that files are checked against, with a
 * sentence for each key (spec/team.md §1, `bnerd schema`).
 *
 * Always true: whatever loads validates. A schema may take a file that is then refused, since what has to agree
 * between fields, and what a path may be, is said by `bnerd team lint`.
 */

import { describeKeys, headed, jsonSchemaOf, type SchemaNode } from '../shared/published-schema.js';
import { DEFAULT_LIMITS } from './recipes/limits.js';
import { recipeFile } from './recipes/recipe-file.js';
import {
  ENGINEER_WORDS,
  LIMIT_WORDS,
  PERMISSION_WORDS,
  RECIPE_WORDS,
  TASK_WORDS,
  VARIABLE_WORDS,
} from './recipes/recipe-words.js';
import { roleFile } from './roles/role-file.js';
import { KEYS_NOT_IN_EFFECT } from './roles/role-keys.js';
import { ROLE_WORDS } from './roles/role-words.js';

/** The frontmatter of `team.md`. Unknown keys are errors, but for `x-…`, at any depth. */
export function recipeJsonSchema(): object {
  const schema = jsonSchemaOf(recipeFile);
  const below = schema.properties ?? {};
  describeKeys(schema, RECIPE_WORDS);
  describeKeys(below['tasks']?.items, TASK_WORDS);
  describeKeys(below['permissions']?.items, PERMISSION_WORDS);
  describeKeys(below['limits'], LIMIT_WORDS);
  describeKeys(below['engineer'], ENGINEER_WORDS);
  describeKeys(valuesOf(below['variables']), VARIABLE_WORDS);
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_LIMITS));
  for (const [name, limit] of Object.entries(below['limits']?.properties ?? {})) {
    limit.default = defaults.get(name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  }
  const closed = [
    schema,
    below['tasks']?.items,
    below['permissions']?.items,
    below['limits'],
    below['engineer'],
    valuesOf(below['variables']),
  ];
  for (const node of closed) {
    if (node === undefined) continue;
    node.additionalProperties = false;
    node.patternProperties = { '^x-': { description: "The author's own." } };
  }
  return headed('recipe', 'bnerd recipe', 'Frontmatter of a recipe, <slug>/team.md.', schema);
}

/** The frontmatter of a role. Unknown keys are allowed: agent files of other programs load. */
export function roleJsonSchema(): object {
  const schema = jsonSchemaOf(roleFile);
  describeKeys(schema, ROLE_WORDS);
  for (const key of KEYS_NOT_IN_EFFECT) {
    schema.properties = { ...schema.properties, [key]: { description: 'Not in effect here; reported.' } };
  }
  return headed('role', 'bnerd role', 'Frontmatter of a role, in the format of Claude Code agents.', schema);
}

function valuesOf(node: SchemaNode | undefined): SchemaNode | undefined {
  return typeof node?.additionalProperties === 'object' ? node.additionalProperties : undefined;
}
