/** From configuration and environment to what the models are opened with; the only place where a key is taken up. */

import type { Environment } from '../config/env.js';
import type { Settings } from '../config/settings.js';
import { PROVIDER_VARIABLES } from '../models/choice/access.js';
import type { ModelSettings } from '../models/settings.js';

/** Variables of providers, and those that the operator has named for a key. */
export function modelSettingsOf(environment: Environment, settings: Settings): ModelSettings {
  const named = [...settings.providers.values()].flatMap(({ apiKeyVariable }) => apiKeyVariable ?? []);
  return {
    variables: environment.named([...PROVIDER_VARIABLES, ...named]),
    aliases: settings.aliases,
    declared: settings.models,
    providers: settings.providers,
  };
}
