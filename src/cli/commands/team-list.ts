/** `bnerd team list`. Loads nothing of the runtime: it is the command a newcomer types first. */

import { listRecipes } from '../../catalog/catalogue.js';
import { resolveConfig } from '../../config/config.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { lookAround } from '../look-around.js';
import { refuse, writeFindings } from '../refusal.js';
import { listText } from '../texts/listings.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const { workingDirectory, output } = program;
  const config = await resolveConfig(layers, { needs: 'catalogue', workingDirectory });
  if (config.kind === 'refused') return refuse(program, config.findings);
  const opened = await lookAround(call, config.value);
  if (opened.kind === 'refused') return refuse(program, opened.findings);
  const listed = await listRecipes(opened.places);
  const findings = [...(await opened.places.trust.findings()), ...listed.findings];
  if (isGiven(call, 'json')) {
    const recipes = listed.recipes.map(({ shadowedBy, ...recipe }) => ({
      ...recipe,
      shadowed_by: shadowedBy,
    }));
    output.results.write(jsonDocument({ v: 1, recipes, findings }));
    return 0;
  }
  writeFindings(program, findings);
  output.results.write(listText(listed.recipes));
  return 0;
}
