/**
 * From seats to what each member starts with: its model, its tools, its entries, its prompt. The only way there, for
 * `run`, `describe --prompt` and `lint`, so that what is shown or found is what a run would record.
 */

import { chooseModels, type ModelChoices } from '../../models/choice/choose-model.js';
import { factsOf } from '../../models/choice/chosen-facts.js';
import type { Finding } from '../../shared/findings.js';
import { parseAdditions } from '../../skills/choose/additions.js';
import type { Registry } from '../../skills/registry.js';
import type { House } from '../house.js';
import { chooseEngineer, type FrozenDelegation, freezeDelegation } from './delegation.js';
import { teamGuards } from './guarded.js';
import { composeLoadouts, type Loadouts } from './loadout.js';
import { modelSources } from './model-sources.js';
import { pageOf } from './page.js';
import type { SeatedTeam } from './seat-team.js';
import { unheldFindings } from './unheld.js';

export interface ComposedTeam {
  readonly choices: ModelChoices;
  readonly loadouts: Loadouts;
  readonly delegation: FrozenDelegation;
  /** The page of the run; null: it has none. */
  readonly page: string | null;
  /** Of the choice of models, the operator's additions and the loadouts; not those of the seats and the registry. */
  readonly findings: readonly Finding[];
}

/** What of an order decides about a composition, beside its seats. */
export interface CompositionOrder {
  /** Values of `--model`; null: no model is chosen, and nothing is said for want of one. */
  readonly models: readonly string[] | null;
  /** The operator's page; null: the recipe's, if it names one. */
  readonly page: string | null;
}

const NO_DELEGATION: FrozenDelegation = { engineer: null, entries: [], findings: [] };

const NO_CHOICES: ModelChoices = { chosen: new Map(), wishes: new Map(), findings: [] };

/**
 * Composes every seat.
 * @param workspace real path; null for one that is made when the run starts
 */
export async function composeTeam(
  house: House,
  { recipe, roster, safety }: SeatedTeam,
  order: CompositionOrder,
  workspace: string | null,
  registry: Registry,
): Promise<ComposedTeam> {
  const { models } = order;
  const choices =
    models === null
      ? NO_CHOICES
      : chooseModels(await modelSources(house, recipe, roster, models), house.models);
  const additions = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const page = pageOf(order.page, recipe);
  const engineer = chooseEngineer(recipe, roster, house.delegation);
  const loadouts = await composeLoadouts({
    roster,
    engineer: engineer.kind === 'engineer',
    contract: recipe.contract,
    safety,
    sources: {
      registry,
      additions: additions.additions,
      maxBytes: house.skills.maxBytes,
      guards: teamGuards(house.skills),
    },
    workspace,
    page,
    models: choices.chosen,
    secrets: house.secrets,
    factsOf: (model) => factsOf(model, house.models),
  });
  const delegating = roster.members.filter(({ name }) =>
    loadouts.tools.get(name)?.tools.some((tool) => tool.name === 'delegate_engineer'),
  );
  const delegation =
    engineer.kind === 'none' ? NO_DELEGATION : freezeDelegation(recipe, delegating, engineer.of, registry);
  const findings = [
    ...choices.findings,
    ...additions.findings,
    ...loadouts.findings,
    ...engineer.findings,
    ...delegation.findings,
    ...(engineer.kind === 'none' || house.delegation.elsewhere // whoever runs one there refuses
      ? []
      : unheldFindings(house, { recipe, safety }, delegating, engineer.of, loadouts)),
  ];
  return { choices, loadouts, delegation, page, findings };
}
