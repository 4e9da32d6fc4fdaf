/**
 * From what the environment and the configuration say of secrets to the one redactor of this process, and to streams that
 * hold none (invariant 8).
 */

import type { Config } from '../config/config.js';
import type { Environment } from '../config/env.js';
import { type Redactor, redactorOf } from '../shared/secrets/redactor.js';
import type { Output } from './output.js';

/**
 * Makes the redactor and puts it before both streams.
 * @param config null as long as none is read: then the environment alone says what is secret
 */
export function hideSecrets(
  { results, notes }: Output,
  environment: Environment,
  config: Pick<Config, 'settings' | 'secrets'> | null,
): Redactor {
  const said = config?.settings.secrets ?? { names: [], except: [], patterns: [] };
  const keys = [...(config?.settings.providers.values() ?? [])].flatMap(
    ({ apiKeyVariable }) => apiKeyVariable ?? [],
  );
  const variables = environment.secrets({ names: [...said.names, ...keys], except: said.except });
  const redactor = redactorOf([...variables, ...(config?.secrets ?? [])], said.patterns);
  for (const sink of [results, notes]) sink.hide(redactor.shown);
  return redactor;
}
