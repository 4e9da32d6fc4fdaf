/**
 * Opens a model of a provider. Each vendor's package is imported when the first role speaks with it, so that a command
 * which asks no model loads none.
 */

import { assertNever } from '../../shared/assert-never.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { UserError } from '../../shared/errors.js';
import type { ChosenProviderModel } from '../choice/choose-model.js';
import type { Model } from '../model.js';
import { gateOf } from '../pacing-gates.js';
import type { ModelFacts } from '../settings.js';
import { type ProviderDoor, secretsOf } from './door.js';
import { BOUNDS, type Bounds } from './exchange.js';
import { providerModel } from './provider-model.js';
import type { Vendor } from './vendor.js';

export interface ProviderTiming {
  readonly bounds: Bounds;
  /** Tells how far a date is away until which a provider asks to wait. */
  readonly clock: Pick<Clock, 'wallMs'>;
}

const TIMING: ProviderTiming = { bounds: BOUNDS, clock: systemClock };

/**
 * The model of one provider behind the model port. Rejects with a `UserError` when the door cannot be one of this
 * provider (no address, a credential of another kind, no region); what the provider says later is an outcome.
 */
export async function openProvider(
  choice: ChosenProviderModel,
  door: ProviderDoor,
  facts: ModelFacts,
  timing: ProviderTiming = TIMING,
): Promise<Model> {
  const { credential } = door;
  if (secretsOf(credential).some((secret) => !/^[\x21-\x7e]+$/.test(secret))) {
    const variable = credential.kind === 'none' ? '' : credential.variable;
    throw new UserError(
      'bad-credential',
      `${choice.id}: ${variable} is empty or holds blanks or characters that no key has; check how it is set`,
    );
  }
  const vendor = await openVendor(choice, door);
  const model = providerModel({ id: choice.id, facts, vendor, credential, ...timing });
  return { ...model, gate: gateOf(choice.provider, door) };
}

async function openVendor({ provider, name }: ChosenProviderModel, door: ProviderDoor): Promise<Vendor> {
  switch (provider) {
    case 'anthropic':
      return (await import('./anthropic.js')).openAnthropic(name, door);
    case 'openai':
      return (await import('./openai.js')).openOpenAI(name, door);
    case 'openai-compatible':
      return (await import('./openai-compatible.js')).openCompatible(name, door);
    case 'amazon-bedrock':
      return (await import('./amazon-bedrock.js')).openBedrock(name, door);
    case 'google':
      return (await import('./google.js')).openGoogle(name, door);
    default:
      return assertNever(provider, 'provider');
  }
}
