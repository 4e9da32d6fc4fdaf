/** `bnerd schema recipe`: the JSON Schema of the frontmatter of a recipe. */

import { recipeJsonSchema } from '../../catalog/json-schema.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(`${JSON.stringify(recipeJsonSchema(), null, 2)}\n`);
  return 0;
}
