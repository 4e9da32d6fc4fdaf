/** `bnerd schema role`: the JSON Schema of the frontmatter of a role. */

import { roleJsonSchema } from '../../catalog/json-schema.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(jsonDocument(roleJsonSchema()));
  return 0;
}
