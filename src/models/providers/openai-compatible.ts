/** The Chat Completions API, as spoken by Ollama, vLLM and many others; a server of one's own may ask for no key. */

import { UserError } from '../../shared/errors.js';
import { baseUrl } from './base-url.js';
import type { ProviderDoor } from './door.js';
import type { Vendor } from './vendor.js';

export async function openCompatible(name: string, door: ProviderDoor): Promise<Vendor> {
  const { credential } = door;
  if (credential.kind !== 'key' && credential.kind !== 'none') {
    throw new UserError('bad-credential', `openai-compatible: needs a key or none, not "${credential.kind}"`);
  }
  if (door.baseUrl === null) throw new UserError('bad-base-url', 'openai-compatible: has no address');
  const baseURL = baseUrl(door.baseUrl);
  const access = credential.kind === 'key' ? { apiKey: credential.key } : {};
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return {
    language: (fetch) =>
      createOpenAICompatible({
        ...access,
        name: 'openai-compatible',
        baseURL,
        fetch,
        // Unsaid, a streamed answer comes without its usage.
        includeUsage: true,
      })(name),
    dialect: {
      system: 'joined',
      cacheMark: null,
      strictTools: null,
      leastOutputTokens: 1,
      requestOptions: {},
    },
  };
}
