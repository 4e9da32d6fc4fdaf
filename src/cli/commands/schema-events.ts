/** `bnerd schema events`: the JSON Schema of a line of `--json-events`. */

import type { Call } from '../call.js';
import { eventLineSchema } from '../live/event-line.js';

export async function run({ program }: Call): Promise<number> {
  program.output.results.write(`${JSON.stringify(eventLineSchema(), null, 2)}\n`);
  return 0;
}
