/**
 * Opens a model of a provider. Each vendor's package is imported here, when the first role speaks with it: a command
 * that asks no model loads none.
 */

import type { ChosenProviderModel } from '../choose-model.js';
import type { Model } from '../model.js';
import type { ModelFacts } from '../settings.js';
import type { ProviderDoor } from './door.js';

/**
 * The model of one provider behind the model port. Rejects with a `UserError` when the door cannot be one of this
 * provider (no address, a credential of another kind, no region); what the provider says later is an outcome.
 */
export async function openProvider(
  choice: ChosenProviderModel,
  _door: ProviderDoor,
  facts: ModelFacts,
): Promise<Model> {
  const outcome = {
    kind: 'fatal',
    code: 'bad-request',
    message: `${choice.id}: cannot be asked yet`,
  } as const;
  return { id: choice.id, facts, generate: async () => outcome, leftover: () => [] };
}
