/** `bnerd schema role`: the JSON Schema of the frontmatter of a role. */

import { roleJsonSchema } from '../../catalog/json-schema.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(`${JSON.stringify(roleJsonSchema(), null, 2)}\n`);
  return 0;
}
