/** What is known of the models that were chosen, and whether that is enough for a limit on costs (spec/team.md §9). */

import type { Finding } from '../../shared/findings.js';
import { FREE, type ModelFacts, type ModelSettings } from '../settings.js';
import { type ChosenModel, type ModelChoices, wherePlaced } from './choose-model.js';
import { modelFacts } from './model-facts.js';
import { declaringLine } from './shown-name.js';

/**
 * The facts about a chosen model; a script has no window and costs nothing, and so it is with a recorded team until it
 * is opened.
 */
export function factsOf(choice: ChosenModel, settings: ModelSettings): ModelFacts {
  const { provider } = choice;
  if (provider === 'script' || provider === 'replay' || provider === 'simulated') return FREE;
  return modelFacts(choice.provider, choice.name, settings).facts;
}

/**
 * Models whose price nobody knows, one finding each: with `cost_usd` set they are refused, for a bound that cannot be
 * counted against bounds nothing.
 */
export function unpricedModels(
  { chosen, wishes }: Pick<ModelChoices, 'chosen' | 'wishes'>,
  settings: ModelSettings,
  costUsd: number,
): Finding[] {
  const findings = new Map<string, Finding>();
  for (const [role, choice] of chosen) {
    if (findings.has(choice.id) || factsOf(choice, settings).price !== null) continue;
    const roles = [...chosen].filter(([, other]) => other.id === choice.id).map(([name]) => name);
    const wish = wishes.get(role);
    findings.set(choice.id, {
      code: 'unpriced-model',
      severity: 'error',
      ...(wish === undefined ? { path: choice.id } : wherePlaced(wish)),
      message: `cost_usd is ${costUsd}, and the price of ${choice.id} (${roles.join(', ')}) is not known`,
      remedy: `say it in ~/.bnerd.yaml, in US dollars per million tokens: ${declaringLine(`${choice.provider}/${choice.name}`, 'price: {input: <usd>, output: <usd>}')}${wish?.recorded === true ? '' : ', or choose another model'}`,
    });
  }
  return [...findings.values()];
}
