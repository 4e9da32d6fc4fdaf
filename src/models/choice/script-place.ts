/**
 * Where a script lies: in the folder of the recipe when recipe or role name it, else where the operator's words are
 * relative to. Pure: the file is named here, not opened.
 */

import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Remark } from './resolve-name.js';
import { shownName } from './shown-name.js';

export interface ScriptPlaces {
  /**
   * Folder of the recipe: scripts that recipe and roles name lie in it. Null where the recipe counts by an approval of
   * its text: nobody has seen what lies beside it.
   */
  readonly recipeFolder: string | null;
  /** Scripts that flags and the configuration name are relative to it. Absolute. */
  readonly workingDirectory: string;
}

export type ScriptPlace =
  | { readonly kind: 'place'; readonly file: string; readonly shown: string }
  | { readonly kind: 'fault'; readonly remark: Remark };

/** @param by whose word it is: only the operator's flag may be absolute, a recipe's may not lead out of its folder */
export function scriptPlace(
  name: string,
  by: 'flag' | 'settings' | 'recipe',
  places: ScriptPlaces,
): ScriptPlace {
  const written = `model ${shownName(`script/${name}`)}`;
  if (isAbsolute(name) && by !== 'flag') {
    const message = `${written}: an absolute path; allowed here: a relative one`;
    const remedy =
      by === 'recipe' ? 'put the script beside the recipe' : 'give it relative to the working directory';
    return fault(message, remedy);
  }
  if (by === 'recipe' && leadsOut(name)) {
    const message = `${written} leads out of the recipe's folder; allowed: a file in it`;
    return fault(message, 'put the script beside the recipe, or name it with --model');
  }
  const { workingDirectory, recipeFolder } = places;
  if (by !== 'recipe') return { kind: 'place', file: resolve(workingDirectory, name), shown: name };
  if (recipeFolder === null) {
    const message = `${written} is a file that nobody has approved: the approval of a recipe is one of its text alone`;
    const remedy =
      'name the script with --model, or trust the repository of the recipe for good with bnerd trust --repo';
    return fault(message, remedy, 'untrusted');
  }
  return {
    kind: 'place',
    file: resolve(workingDirectory, recipeFolder, name),
    shown: join(recipeFolder, name),
  };
}

function leadsOut(path: string): boolean {
  const within = relative('/folder', resolve('/folder', path));
  return within === '' || within === '..' || within.startsWith(`..${sep}`);
}

function fault(message: string, remedy: string, code = 'script-path'): ScriptPlace {
  return { kind: 'fault', remark: { code, severity: 'error', message, remedy } };
}
