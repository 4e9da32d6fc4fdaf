/** `bnerd schema recipe`: the JSON Schema of the frontmatter of a recipe. */

import { recipeJsonSchema } from '../../catalog/json-schema.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(jsonDocument(recipeJsonSchema()));
  return 0;
}
