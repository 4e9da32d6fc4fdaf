/** `bnerd team list`. Loads nothing of the runtime: it is the command a newcomer types first. */

import { indexRecipes } from '../../catalog/recipe-index.js';
import { NO_APPROVALS } from '../../catalog/trust.js';
import { resolveConfig } from '../../config/config.js';
import { plainJson } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { listText } from '../listings.js';
import { PACKAGE_ROOT } from '../package-root.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const { workingDirectory, output } = program;
  const config = await resolveConfig(layers, { needs: 'catalogue', workingDirectory });
  if (config.kind === 'refused') return refuse(program, config.findings);
  const { missionRepository: path } = config.value;
  const mission = path === null ? null : { path, named: true };
  const places = { packageRoot: PACKAGE_ROOT, global: null, project: null, mission, trust: NO_APPROVALS };
  const { recipes, findings } = await indexRecipes(places);
  if (isGiven(call, 'json')) {
    const rows = recipes.map(({ shadowedBy, ...recipe }) => ({ ...recipe, shadowed_by: shadowedBy }));
    output.results.write(`${plainJson(JSON.stringify({ v: 1, recipes: rows, findings }, null, 2))}\n`);
    return 0;
  }
  writeFindings(output.notes, findings);
  output.results.write(listText(recipes));
  return 0;
}
