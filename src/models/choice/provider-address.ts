/**
 * Where a provider is spoken to: the vendor's own address, or one that the operator has set (spec/team.md §9). Variables
 * are those of the vendors' own tools; whether `/v1` is at the end is the adapters' affair, which take both. Pure.
 *
 * Always true: an address that is refused is never echoed: people put credentials into it.
 */

import { UserError } from '../../shared/errors.js';
import { baseUrl } from '../providers/base-url.js';
import type { ModelSettings } from '../settings.js';
import type { ProviderName } from './model-name.js';

/** Variables that hold an address. */
export const ADDRESS_VARIABLES: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  'openai-compatible': 'OPENAI_COMPATIBLE_BASE_URL',
};

export type ProviderAddress =
  /** Null: the vendor's own. Without a slash at the end. */
  | { readonly kind: 'address'; readonly baseUrl: string | null }
  /** `place`: the variable or the key of the settings file. */
  | { readonly kind: 'refused'; readonly place: string; readonly found: string };

/** The address of a provider: a variable beats the settings file. */
export function providerAddress(provider: ProviderName, settings: ModelSettings): ProviderAddress {
  const variable = ADDRESS_VARIABLES[provider];
  const inVariable = variable === undefined ? undefined : settings.variables.get(variable);
  const text = inVariable ?? settings.providers.get(provider)?.baseUrl ?? null;
  if (text === null) return { kind: 'address', baseUrl: null };
  const place =
    inVariable === undefined || variable === undefined
      ? `providers.${provider}.base-url of ~/.bnerd.yaml`
      : variable;
  try {
    return { kind: 'address', baseUrl: baseUrl(text.trim()) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: 'refused', place, found: error.message };
  }
}

/** False when the operator has set an address: what is behind it may have models of its own. */
export function isVendorAddress(provider: ProviderName, settings: ModelSettings): boolean {
  const address = providerAddress(provider, settings);
  return address.kind === 'address' && address.baseUrl === null;
}
