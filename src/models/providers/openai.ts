/** OpenAI's Responses API, with nothing kept at the vendor's side: each request brings the whole conversation. */

import { UserError } from '../../shared/errors.js';
import { baseUrl } from './base-url.js';
import type { ProviderDoor } from './door.js';
import type { Vendor } from './vendor.js';

const ADDRESS = 'https://api.openai.com/v1';

export async function openOpenAI(name: string, door: ProviderDoor): Promise<Vendor> {
  const { credential } = door;
  if (credential.kind !== 'key') {
    throw new UserError('bad-credential', `openai: needs a key, not "${credential.kind}"`);
  }
  const { createOpenAI } = await import('@ai-sdk/openai');
  const baseURL = door.baseUrl === null ? ADDRESS : baseUrl(door.baseUrl);
  return {
    language: (fetch) => createOpenAI({ apiKey: credential.key, baseURL, fetch }).responses(name),
    dialect: {
      system: 'joined',
      cacheMark: null,
      // Unsaid, the vendor makes every argument of a tool a required one.
      strictTools: false,
      leastOutputTokens: 16,
      requestOptions: { openai: { store: false } },
    },
  };
}
