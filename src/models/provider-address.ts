/**
 * Where a provider is spoken to: the vendor's own address, or one that the operator has set (spec/team.md §9). A
 * variable is taken as the vendor's own tools take it. Pure.
 *
 * Always true: an address that is refused is never echoed: people put credentials into it.
 */

import type { ProviderName } from './model-name.js';
import type { ModelSettings } from './settings.js';

/** Variables that hold an address. */
export const ADDRESS_VARIABLES: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  'openai-compatible': 'OPENAI_COMPATIBLE_BASE_URL',
};

export type ProviderAddress =
  /** Null: the vendor's own. Without a slash at the end, as adapters take it. */
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
  const fault = addressFault(text.trim());
  if (fault !== null) return { kind: 'refused', place, found: fault };
  return { kind: 'address', baseUrl: asAdaptersTakeIt(provider, text.trim()) };
}

/** False when the operator has set an address: what is behind it may have models of its own. */
export function isVendorAddress(provider: ProviderName, settings: ModelSettings): boolean {
  const address = providerAddress(provider, settings);
  return address.kind === 'address' && address.baseUrl === null;
}

function addressFault(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is no URL';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `its protocol is ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'it holds a user name or a password';
  if (url.search !== '' || url.hash !== '') return 'it has a query or a fragment';
  return null;
}

/** Anthropic's own tools add `/v1` to what the variable says; adapters take an address that ends in it. */
function asAdaptersTakeIt(provider: ProviderName, text: string): string {
  const bare = text.replace(/\/+$/, '');
  return provider === 'anthropic' && !/\/v1$/.test(bare) ? `${bare}/v1` : bare;
}
