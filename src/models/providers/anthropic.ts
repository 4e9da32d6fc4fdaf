/** Anthropic's Messages API. */

import { UserError } from '../../shared/errors.js';
import { versionedUrl } from './base-url.js';
import { counted } from './counted.js';
import type { ProviderDoor } from './door.js';
import type { Vendor } from './vendor.js';

const ADDRESS = 'https://api.anthropic.com/v1';

export async function openAnthropic(name: string, door: ProviderDoor): Promise<Vendor> {
  const access = accessOf(door);
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const baseURL = door.baseUrl === null ? ADDRESS : versionedUrl(door.baseUrl, 'v1');
  return {
    language: (line) => {
      const fetch = counted(withoutBetas(line), { input_tokens: 0, output_tokens: 0 });
      return createAnthropic({ ...access, baseURL, fetch })(name);
    },
    dialect: {
      system: 'blocks',
      cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      strictTools: null,
      leastOutputTokens: 1,
      // Otherwise tools are defined differently when somebody watches, and the cache is missed.
      requestOptions: { anthropic: { toolStreaming: false } },
    },
  };
}

function accessOf({ credential }: ProviderDoor): { apiKey: string } | { authToken: string } {
  if (credential.kind === 'key') return { apiKey: credential.key };
  if (credential.kind === 'token') return { authToken: credential.token };
  throw new UserError('bad-credential', `anthropic: needs a key or a token, not "${credential.kind}"`);
}

/** The package asks for trial features that nothing here uses, and gateways to other clouds refuse those they don't know. */
function withoutBetas(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (url, init) => {
    const { 'anthropic-beta': _beta, ...headers } = Object.fromEntries(new Headers(init?.headers));
    return fetch(url, { ...init, headers });
  };
}
