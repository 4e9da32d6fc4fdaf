/**
 * Which providers this machine can speak with: keys from the environment, addresses and regions (spec/team.md §9).
 *
 * Always true: a key is read from a variable of the environment and from nowhere else; findings name variables, never
 * values; nothing is connected to here.
 */

import type { Credential, ProviderDoor } from '../providers/door.js';
import type { ModelSettings } from '../settings.js';
import { PROVIDER_NAMES, type ProviderName } from './model-name.js';
import { ADDRESS_VARIABLES, providerAddress } from './provider-address.js';

/** Variables that hold a key by themselves, the first that is set counts. */
const KEY_VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  // The token goes first, as in Anthropic's own tools: who sets it speaks with a gateway.
  anthropic: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'],
  'amazon-bedrock': ['AWS_BEARER_TOKEN_BEDROCK'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
};

/** Amazon's pair, which signs requests, and what may go with it. */
const AWS_ID = 'AWS_ACCESS_KEY_ID';
const AWS_SECRET = 'AWS_SECRET_ACCESS_KEY';
const AWS_SESSION = 'AWS_SESSION_TOKEN';
const REGION_VARIABLES: readonly string[] = ['AWS_REGION', 'AWS_DEFAULT_REGION'];

/** Every variable that is read for a provider. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...PROVIDER_NAMES.flatMap((provider) => [
    ...KEY_VARIABLES[provider],
    ...(ADDRESS_VARIABLES[provider] === undefined ? [] : [ADDRESS_VARIABLES[provider]]),
  ]),
  AWS_ID,
  AWS_SECRET,
  AWS_SESSION,
  ...REGION_VARIABLES,
];

export type Access =
  | { readonly kind: 'open'; readonly door: ProviderDoor }
  | {
      readonly kind: 'closed';
      readonly code: 'no-key' | 'no-base-url' | 'no-region' | 'bad-base-url';
      readonly found: string;
      readonly remedy: string;
    };

/** The door to a provider, or what is missing for one. */
export function accessTo(provider: ProviderName, settings: ModelSettings): Access {
  const address = providerAddress(provider, settings);
  if (address.kind === 'refused') {
    const found = `${address.place}: ${address.found}`;
    return closed('bad-base-url', found, `correct ${address.place}, or take it away`);
  }
  const { baseUrl } = address;
  if (provider === 'openai-compatible' && baseUrl === null) {
    const found = 'openai-compatible has no address: looked for OPENAI_COMPATIBLE_BASE_URL and ~/.bnerd.yaml';
    const remedy =
      'set OPENAI_COMPATIBLE_BASE_URL, or write into ~/.bnerd.yaml: providers: {openai-compatible: {base-url: <url>}}';
    return closed('no-base-url', found, remedy);
  }
  const credential = credentialFor(provider, settings);
  if (credential === undefined) return noKey(provider, settings);
  if (provider !== 'amazon-bedrock') return { kind: 'open', door: { baseUrl, credential, region: null } };
  const region = REGION_VARIABLES.map((name) => settings.variables.get(name)).find(isSet);
  if (region === undefined) {
    const found = `amazon-bedrock has no region: looked for ${REGION_VARIABLES.join(', ')} in the environment`;
    return closed('no-region', found, 'set AWS_REGION');
  }
  return { kind: 'open', door: { baseUrl, credential, region } };
}

/** Every variable whose presence says that a provider may be spoken with, in the order in which they are looked for. */
export function variablesLookedFor(settings: ModelSettings): readonly string[] {
  return PROVIDER_NAMES.flatMap((provider) => [
    ...keyVariables(provider, settings),
    ...(provider === 'amazon-bedrock' ? [AWS_ID] : []),
    ...(provider === 'openai-compatible' ? [ADDRESS_VARIABLES['openai-compatible'] ?? ''] : []),
  ]);
}

/** True for a text that holds the value of a key that is set: it is not to be shown, whatever it was written for. */
export function holdsKey(text: string, settings: ModelSettings): boolean {
  const open: readonly (string | undefined)[] = [...Object.values(ADDRESS_VARIABLES), ...REGION_VARIABLES];
  return [...settings.variables].some(
    ([name, value]) => !open.includes(name) && value.length >= SHORTEST_KEY && text.includes(value),
  );
}

/** A shorter value would be found in names of models by chance. */
const SHORTEST_KEY = 8;

function keyVariables(provider: ProviderName, settings: ModelSettings): readonly string[] {
  const named = settings.providers.get(provider)?.apiKeyVariable ?? null;
  return named === null ? KEY_VARIABLES[provider] : [named];
}

/** Providers whose key is set in the environment, each with the variable that says so. */
export function providersWithKey(
  settings: ModelSettings,
): readonly { readonly provider: ProviderName; readonly variable: string }[] {
  const withKey = PROVIDER_NAMES.flatMap((provider) => {
    const credential = credentialFor(provider, settings);
    if (credential === undefined || credential.kind === 'none') return [];
    return [{ provider, variable: credential.variable }];
  });
  if (withKey.length > 0) return withKey;
  // A server that asks for no key is known by its address; beside a key it is no wish by itself.
  const address = ADDRESS_VARIABLES['openai-compatible'] ?? '';
  return settings.variables.has(address) ? [{ provider: 'openai-compatible', variable: address }] : [];
}

/**
 * The same settings without any key: for judging files, which are the same whoever looks at them. Addresses of vendors
 * stay, for they say which names may be right.
 */
export function withoutKeys(settings: ModelSettings): ModelSettings {
  const kept = [ADDRESS_VARIABLES.anthropic, ADDRESS_VARIABLES.openai];
  const variables = [...settings.variables].filter(([name]) => kept.includes(name));
  return { ...settings, variables: new Map(variables) };
}

function credentialFor(provider: ProviderName, settings: ModelSettings): Credential | undefined {
  const { variables } = settings;
  for (const variable of keyVariables(provider, settings)) {
    const value = variables.get(variable);
    if (value === undefined) continue;
    return variable === 'ANTHROPIC_AUTH_TOKEN'
      ? { kind: 'token', variable, token: value }
      : { kind: 'key', variable, key: value };
  }
  if (provider === 'openai-compatible') {
    // A variable that the operator named is meant to hold one.
    const named = settings.providers.get(provider)?.apiKeyVariable ?? null;
    return named === null ? { kind: 'none' } : undefined;
  }
  if (provider !== 'amazon-bedrock') return undefined;
  const accessKeyId = variables.get(AWS_ID);
  const secretAccessKey = variables.get(AWS_SECRET);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = variables.get(AWS_SESSION) ?? null;
  return { kind: 'aws', variable: AWS_ID, accessKeyId, secretAccessKey, sessionToken };
}

function noKey(provider: ProviderName, settings: ModelSettings): Access {
  const names = keyVariables(provider, settings);
  const pair = provider === 'amazon-bedrock' ? `${names.join(', ')}, ${AWS_ID} with ${AWS_SECRET}` : null;
  const lookedFor = pair ?? names.join(', ');
  const found = `there is no key of ${provider}: looked for ${lookedFor} in the environment`;
  return closed('no-key', found, `set ${pair === null ? names.join(' or ') : `${AWS_ID} and ${AWS_SECRET}`}`);
}

function closed(code: Extract<Access, { kind: 'closed' }>['code'], found: string, remedy: string): Access {
  return { kind: 'closed', code, found, remedy };
}

function isSet(text: string | undefined): text is string {
  return text !== undefined;
}
