/** Keys of a recipe that nobody reads: errors, but for `x-…`, which are the author's own (spec/team.md §1). */

import { didYouMean, nameRemedy } from '../../shared/did-you-mean.js';
import { type Finding, placeAt } from '../../shared/findings.js';
import { shownPath } from '../../shared/key-path.js';
import { unknownKeys } from '../files/shape.js';
import type { WrittenMapping } from '../files/written-mapping.js';
import { recipeFile } from './recipe-file.js';

/** One error for each unknown key, at any depth, with the key that was probably meant. */
export function recipeKeyFindings(mapping: WrittenMapping, path: string): Finding[] {
  return unknownKeys(recipeFile, mapping)
    .filter((unknown) => !String(unknown.path.at(-1)).startsWith('x-'))
    .map((unknown) => {
      const key = String(unknown.path.at(-1));
      const remedy = nameRemedy(key, unknown.known);
      return {
        code: 'unknown-key',
        severity: 'error',
        ...placeAt(path, unknown.line),
        message: `\`${shownPath(unknown.path)}\` is no key of a recipe; keys of your own begin with "x-"`,
        remedy: didYouMean(key, unknown.known) === undefined ? `remove it; ${remedy}` : remedy,
      };
    });
}
