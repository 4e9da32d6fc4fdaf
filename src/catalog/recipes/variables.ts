/**
 * The variables of a recipe: `{{name}}` in its texts, `--var name=value` from the operator (spec/team.md §1).
 *
 * Always true: a value is put in once and never read again for variables of its own; `${{ … }}` and braces
 * around anything that is no name stay as they are.
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { INNER_PATH_RULE, innerPath } from '../../shared/inner-path.js';
import type { Recipe, RecipeVariable } from './recipe.js';

/** `{{name}}`, blanks allowed inside; not after `$`, where it belongs to somebody else's template. */
const PLACE = /(?<!\$)\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}/g;

/** The text with every known name replaced; names without a value stay and are listed once each. */
export function substitute(
  text: string,
  values: ReadonlyMap<string, string>,
): { readonly text: string; readonly unknown: readonly string[] } {
  const unknown = new Set<string>();
  const replaced = text.replaceAll(PLACE, (whole, name: string) => {
    const value = values.get(name);
    if (value === undefined) unknown.add(name);
    return value ?? whole;
  });
  return { text: replaced, unknown: [...unknown] };
}

/** Every `{{name}}` of a text with the offset at which it stands. */
export function variablesIn(text: string): { readonly name: string; readonly offset: number }[] {
  return [...text.matchAll(PLACE)].map((match) => ({ name: match[1] ?? '', offset: match.index }));
}

export type VariableValues =
  | { readonly kind: 'resolved'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * A value for every declared variable: the given one, else the default, else empty text when it is not required.
 * Refused when a given name is not declared or a required one is not given.
 */
export function resolveValues(
  declared: readonly RecipeVariable[],
  given: ReadonlyMap<string, string>,
): VariableValues {
  const names = declared.map((variable) => variable.name);
  const findings: Finding[] = [];
  for (const name of given.keys()) {
    if (!names.includes(name)) findings.push(unknownVariable(name, names));
  }
  const values = new Map<string, string>();
  for (const variable of declared) {
    const value = given.get(variable.name) ?? (variable.required ? undefined : (variable.default ?? ''));
    if (value === undefined) findings.push(missingVariable(variable));
    else values.set(variable.name, value);
  }
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', values };
}

export type FilledRecipe =
  | { readonly kind: 'filled'; readonly recipe: Recipe }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * The recipe with the values in its contract, model, and its tasks' subject, description, acceptance and
 * artifacts. Refused when a value makes an artifact's path lead out.
 */
export function fillRecipe(recipe: Recipe, values: ReadonlyMap<string, string>): FilledRecipe {
  const fill = (text: string): string => substitute(text, values).text;
  const findings: Finding[] = [];
  const tasks = recipe.tasks.map((task) => ({
    ...task,
    subject: fill(task.subject),
    description: fill(task.description),
    acceptance: task.acceptance.map(fill),
    artifacts: task.artifacts.map((artifact) => {
      const path = fill(artifact);
      const normal = innerPath(path);
      if (normal === undefined) findings.push(leadsOut(task.id, artifact, path));
      return normal ?? path;
    }),
  }));
  if (findings.length > 0) return { kind: 'refused', findings };
  const model = recipe.model === null ? null : fill(recipe.model);
  return { kind: 'filled', recipe: { ...recipe, contract: fill(recipe.contract), model, tasks } };
}

function unknownVariable(name: string, names: readonly string[]): Finding {
  return {
    code: 'unknown-variable',
    severity: 'error',
    path: '--var',
    message: `the recipe declares no variable "${name}"`,
    remedy: nameRemedy(name, names),
  };
}

function missingVariable(variable: RecipeVariable): Finding {
  const about = variable.description === '' ? '' : ` (${variable.description})`;
  return {
    code: 'missing-variable',
    severity: 'error',
    path: '--var',
    message: `the recipe needs a value for "${variable.name}"${about}`,
    remedy: `add --var ${variable.name}=<value>`,
  };
}

function leadsOut(task: string, artifact: string, path: string): Finding {
  return {
    code: 'path-leads-out',
    severity: 'error',
    path: '--var',
    message: `the artifact "${artifact}" of task ${task} becomes "${path}"; expected ${INNER_PATH_RULE}`,
    remedy: 'give another value',
  };
}
