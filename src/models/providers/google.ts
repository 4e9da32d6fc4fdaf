/** Google's Gemini API. */

import { UserError } from '../../shared/errors.js';
import { versionedUrl } from './base-url.js';
import type { ProviderDoor } from './door.js';
import type { Vendor } from './vendor.js';

const ADDRESS = 'https://generativelanguage.googleapis.com/v1beta';

export async function openGoogle(name: string, door: ProviderDoor): Promise<Vendor> {
  const { credential } = door;
  if (credential.kind !== 'key') {
    throw new UserError('bad-credential', `google: needs a key, not "${credential.kind}"`);
  }
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  const baseURL = door.baseUrl === null ? ADDRESS : versionedUrl(door.baseUrl, 'v1beta');
  return {
    language: (fetch) => createGoogleGenerativeAI({ apiKey: credential.key, baseURL, fetch })(name),
    dialect: {
      system: 'blocks',
      cacheMark: null,
      strictTools: null,
      leastOutputTokens: 1,
      requestOptions: {},
    },
  };
}
