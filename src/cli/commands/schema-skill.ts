/** `bnerd schema skill`: the JSON Schema of the frontmatter of a skill or rule. */

import { entryJsonSchema } from '../../skills/entry-schema.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(`${JSON.stringify(entryJsonSchema(), null, 2)}\n`);
  return 0;
}
