/**
 * Lint that crosses rooms: everything about recipes, roles and entries that can be known without a model
 * (spec/team.md §1). Shape is the catalogue's; names of tools and skills, capabilities and prompts are looked at here
 * by composing each recipe exactly as a run would.
 */

import { lintTargets, listRecipes } from '../catalog/catalogue.js';
import type { LintReport } from '../catalog/lint.js';
import { ENGINEER_KINDS } from '../delegate/engineers/kinds.js';
import { withoutKeys } from '../models/choice/access.js';
import { unpricedModels } from '../models/choice/chosen-facts.js';
import { checkScripts } from '../models/open-model.js';
import { distinct, type Finding } from '../shared/findings.js';
import type { Registry } from '../skills/registry.js';
import { type House, placesOf } from './house.js';
import { lintRoleAlone } from './lint-role.js';
import { loadEntries } from './load-entries.js';
import { composeTeam } from './plan/compose-team.js';
import { resolvePlaces } from './plan/order-places.js';
import { providedNames } from './plan/provided-tools.js';
import { recipeFindings } from './plan/recipe-findings.js';
import { seatTeam } from './plan/seat-team.js';
import { withoutShown } from './plan/without-shown.js';

/** Lints the named recipes, roles and files, or everything. Findings in the order of files, each once. */
export async function lintCatalogue(house: House, targets: readonly string[]): Promise<LintReport> {
  const places = placesOf(house);
  const report = await lintTargets(places, targets);
  const registry = await loadEntries(house);
  const findings = [...report.findings];
  if (targets.length === 0) findings.push(...registry.findings, ...remarksOnEntries(registry));
  const { recipes } = await listRecipes(places);
  // Files are judged, not this machine: which keys are set changes nothing, and what the operator adds is not theirs.
  const anywhere: House = {
    ...house,
    agentSkills: '',
    models: withoutKeys(house.models),
    delegation: { ...house.delegation, kinds: ENGINEER_KINDS },
  };
  const checked = new Set(report.checked);
  const seated = new Set<string>();
  for (const recipe of recipes) {
    const used = recipe.trust === 'trusted' && recipe.shadowedBy === null;
    if (!used || !checked.has(recipe.path)) continue;
    const composed = await lintLoadouts(anywhere, recipe.slug, registry);
    findings.push(...composed.findings);
    for (const path of composed.roles) seated.add(path);
  }
  // A role with a seat is judged in it, a role without one for any team it might come into.
  for (const role of report.roles) {
    if (!seated.has(role.path)) findings.push(...lintRoleAlone(role, registry));
  }
  return { ...report, findings: distinct(withoutShown(findings)) };
}

/** What is said of open files, but for mere notes: the folders of other programs give hundreds of these. */
function remarksOnEntries({ quiet }: Registry): Finding[] {
  return [...quiet.values()].flat().filter(({ severity }) => severity !== 'info');
}

interface Composed {
  readonly findings: readonly Finding[];
  /** Paths of the roles that have a seat. */
  readonly roles: readonly string[];
}

/** What the settings of this machine leave open says nothing against the files: which model there is, how large it is. */
function aboutFiles(finding: Finding): Finding[] {
  if (finding.code === 'no-model') return [];
  return [finding.code === 'context-assumed' ? { ...finding, severity: 'info' } : finding];
}

const NOTHING: Composed = { findings: [], roles: [] };

/** Composes every seat of a recipe and keeps what is said against it; the lint of shape has said the rest. */
async function lintLoadouts(house: House, slug: string, registry: Registry): Promise<Composed> {
  const team = await seatTeam(house, { slug, variables: null, safety: null });
  if (team.kind === 'refused') return NOTHING;
  const { recipe, roster } = team;
  const { workspace } = await resolvePlaces(house, recipe);
  const order = { models: [], page: null };
  const { choices, loadouts, findings } = await composeTeam(house, team, order, workspace, registry);
  const bound = recipe.limits.costUsd;
  return {
    findings: [
      ...recipeFindings(recipe, providedNames(registry)),
      ...findings.flatMap(aboutFiles),
      ...loadouts.remarks,
      ...(bound === null ? [] : unpricedModels(choices, house.models, bound)),
      ...(await checkScripts(choices.chosen)),
    ],
    roles: roster.members.map(({ role }) => role.path),
  };
}
