/** `bnerd schema events`: the JSON Schema of a line of `--json-events`. */

import { jsonDocument } from '../../shared/terminal-text.js';
import type { Call } from '../call.js';
import { eventLineSchema } from '../live/event-line.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(jsonDocument(eventLineSchema()));
  return 0;
}
