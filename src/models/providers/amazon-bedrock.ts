/** The Converse API of Amazon Bedrock, with a bearer key or with signed requests. */

import { UserError } from '../../shared/errors.js';
import { baseUrl } from './base-url.js';
import { counted } from './counted.js';
import type { Credential, ProviderDoor } from './door.js';
import type { Vendor } from './vendor.js';

/** Partitions whose hosts end otherwise, by the beginning of the region's name. */
const DOMAINS: readonly (readonly [string, string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
];

/** Model families that take a cache point; the others refuse a request that holds one. */
const CACHING = /amazon\.nova|anthropic\.claude-(?!v2|instant|3-(haiku|sonnet|opus)-)/;

export async function openBedrock(name: string, door: ProviderDoor): Promise<Vendor> {
  const { region } = door;
  // The region becomes part of a host name, so it may hold nothing else.
  if (region === null || !/^[a-z0-9-]+$/.test(region)) {
    throw new UserError('bad-region', 'amazon-bedrock: has no region, or one that no region is called');
  }
  const access = accessOf(door.credential);
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const baseURL = door.baseUrl === null ? addressOf(region) : baseUrl(door.baseUrl);
  const mark = CACHING.test(name) ? { bedrock: { cachePoint: { type: 'default' } } } : null;
  return {
    language: (line) => {
      const fetch = counted(line, { inputTokens: 0, outputTokens: 0, totalTokens: 0 });
      return createAmazonBedrock({ ...access, region, baseURL, fetch })(name);
    },
    dialect: {
      system: 'blocks',
      cacheMark: mark,
      strictTools: null,
      leastOutputTokens: 1,
      requestOptions: {},
    },
  };
}

function addressOf(region: string): string {
  const domain = DOMAINS.find(([start]) => region.startsWith(start))?.[1] ?? 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

interface Access {
  readonly apiKey: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

/** An empty bearer key is said too: unsaid, the package takes one from the environment. */
function accessOf(credential: Credential): Access {
  if (credential.kind === 'key') return { apiKey: credential.key };
  if (credential.kind !== 'aws') {
    const needs = 'amazon-bedrock: needs a bearer key or an access key';
    throw new UserError('bad-credential', `${needs}, not "${credential.kind}"`);
  }
  const { accessKeyId, secretAccessKey, sessionToken } = credential;
  const keys = { apiKey: '', accessKeyId, secretAccessKey };
  return sessionToken === null ? keys : { ...keys, sessionToken };
}
