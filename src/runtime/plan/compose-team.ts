/**
 * From seats to what each member starts with: its model, its tools, its entries, its prompt. The only way there, for
 * `run`, `describe --prompt` and `lint`, so that what is shown or found is what a run would record.
 */

import { chooseModels, type ModelChoices } from '../../models/choice/choose-model.js';
import { factsOf } from '../../models/choice/chosen-facts.js';
import type { Finding } from '../../shared/findings.js';
import { parseAdditions } from '../../skills/additions.js';
import type { Registry } from '../../skills/registry.js';
import type { House } from '../house.js';
import { composeLoadouts, type Loadouts } from './loadout.js';
import { modelSources } from './model-sources.js';
import type { SeatedTeam } from './seat-team.js';

export interface ComposedTeam {
  readonly choices: ModelChoices;
  readonly loadouts: Loadouts;
  /** Of the choice of models, the operator's additions and the loadouts; not those of the seats and the registry. */
  readonly findings: readonly Finding[];
}

const NO_CHOICES: ModelChoices = { chosen: new Map(), wishes: new Map(), findings: [] };

/**
 * Composes every seat.
 * @param models values of `--model`; null: no model is chosen, and nothing is said for want of one
 */
export async function composeTeam(
  house: House,
  { recipe, roster, safety }: SeatedTeam,
  models: readonly string[] | null,
  registry: Registry,
): Promise<ComposedTeam> {
  const choices =
    models === null
      ? NO_CHOICES
      : chooseModels(await modelSources(house, recipe, roster, models), house.models);
  const additions = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const loadouts = composeLoadouts({
    roster,
    contract: recipe.contract,
    safety,
    registry,
    additions: additions.additions,
    models: choices.chosen,
    factsOf: (model) => factsOf(model, house.models),
  });
  const findings = [...choices.findings, ...additions.findings, ...loadouts.findings];
  return { choices, loadouts, findings };
}
