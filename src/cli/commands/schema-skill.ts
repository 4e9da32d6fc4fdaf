/** `bnerd schema skill`: the JSON Schema of the frontmatter of a skill or rule. */

import { jsonDocument } from '../../shared/terminal-text.js';
import { entryJsonSchema } from '../../skills/parse/entry-schema.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(jsonDocument(entryJsonSchema()));
  return 0;
}
