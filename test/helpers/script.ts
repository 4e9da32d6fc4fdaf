/** A scripted model without a file: for tests that need a far side which follows a script. */

import { stringify } from 'yaml';
import type { Model } from '../../src/models/model.js';
import { parseScript } from '../../src/models/script/parse-script.js';
import { scriptedModel } from '../../src/models/script/scripted-model.js';
import { formatFinding } from '../../src/shared/findings.js';

/**
 * A model that plays a script given as YAML or as the value that YAML would hold. Refuses a script that cannot
 * be played, with its findings; whether it comes out right (`checkScript`) is left to the test.
 * @param options.path the name of the script; the model's id is `script/<path>`
 */
export function scriptModel(source: string | object, options: { readonly path?: string } = {}): Model {
  const path = options.path ?? 'inline.yaml';
  const parsed = parseScript(typeof source === 'string' ? source : stringify(source), path);
  if (parsed.kind === 'refused') throw new Error(parsed.findings.map(formatFinding).join('\n'));
  return scriptedModel(parsed.script, path);
}
