/** `bnerd schema result`. */

import { resultJsonSchema } from '../../delegate/brief/json-schema.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import type { Call } from '../call.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(jsonDocument(resultJsonSchema()));
  return 0;
}
