/** Nothing of a provider comes from the environment of the process: a door is all that counts. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Vendor } from '../../../src/models/providers/vendor.js';
import { Releases } from '../../../src/shared/releases.js';
import type { FarSide, Wire } from '../../helpers/providers/far-side.js';
import { KEY, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';
import { QUESTION } from './ask-far.js';

/** Every variable that the packages read, and some that vendors' own tools do. */
const PLANTED = [
  'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS',
  'OPENAI_API_KEY OPENAI_BASE_URL OPENAI_ORGANIZATION OPENAI_ORG_ID OPENAI_PROJECT OPENAI_PROJECT_ID',
  'GOOGLE_GENERATIVE_AI_API_KEY GOOGLE_API_KEY GEMINI_API_KEY GOOGLE_BASE_URL',
  'AWS_BEARER_TOKEN_BEDROCK AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_PROFILE',
  'AWS_ENDPOINT_URL AWS_ENDPOINT_URL_BEDROCK_RUNTIME HTTP_PROXY HTTPS_PROXY',
].flatMap((names) => names.split(' '));

const before = new Map(PLANTED.map((name) => [name, process.env[name]]));
const releases = new Releases();
let planted: FarSide;

// Before the packages are imported: each makes a default provider as it is.
beforeAll(async () => {
  const far = await startFarSide('anthropic', () => ({ kind: 'reply', text: 'planted' }), releases);
  planted = far;
  for (const name of PLANTED) process.env[name] = /URL|PROXY/.test(name) ? far.url : 'planted-value';
});

afterAll(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await releases.run();
});

test.each(WIRES)('%s: with every variable planted a request is the same', async (wire) => {
  const { openFar } = await import('../../helpers/providers/open-far.js');
  const far = await startFarSide(wire, () => ({ kind: 'reply', text: 'mine' }), releases);
  const outcome = await (await openFar(wire, far.url)).generate(QUESTION, new AbortController().signal);
  expect(outcome).toMatchObject({ kind: 'reply', text: 'mine' });
  const [seen] = far.seen;
  expect(JSON.stringify(seen)).toContain(KEY);
  expect(JSON.stringify(seen)).not.toMatch(/planted/);
  expect(Object.keys(seen?.headers ?? {}).filter((name) => /organi[sz]ation|project/i.test(name))).toEqual(
    [],
  );
});

test.each([
  ['anthropic', 'https://api.anthropic.com/v1/messages'],
  ['openai', 'https://api.openai.com/v1/responses'],
  ['amazon-bedrock', 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse'],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/models/m:generateContent'],
] as const)("%s: without an address it is the vendor's own, whatever is planted", async (wire, address) => {
  const asked = await addressOf(wire, { kind: 'key', variable: 'K', key: KEY });
  expect(asked.url).toBe(address);
  expect(JSON.stringify(asked)).not.toContain('planted');
});

test('amazon-bedrock: access keys are those of the door, and no planted bearer takes their place', async () => {
  const asked = await addressOf('amazon-bedrock', {
    kind: 'aws',
    variable: 'AWS_ACCESS_KEY_ID',
    accessKeyId: 'AKIAMINE',
    secretAccessKey: 'mine',
    sessionToken: null,
  });
  expect(asked.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAMINE\//);
  expect(asked.headers).not.toHaveProperty('x-amz-security-token');
  expect(JSON.stringify(asked)).not.toContain('planted');
});

test('no request went to a planted address', () => {
  expect(planted.seen).toEqual([]);
});

type Credential = import('../../../src/models/providers/door.js').Credential;

/** Where a vendor's package would send a question; it is stopped there. */
async function addressOf(
  wire: Exclude<Wire, 'openai-compatible'>,
  credential: Credential,
): Promise<{ url: string; headers: Record<string, string> }> {
  const door = { baseUrl: null, credential, region: wire === 'amazon-bedrock' ? 'eu-central-1' : null };
  let asked = { url: '', headers: {} };
  const vendor = await openers[wire](door);
  const stopped = vendor
    .language(async (url, init) => {
      asked = { url: String(url), headers: Object.fromEntries(new Headers(init?.headers)) };
      throw new Error('stopped');
    })
    .doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], maxOutputTokens: 16 });
  await expect(stopped).rejects.toThrow('stopped');
  return asked;
}

type Door = import('../../../src/models/providers/door.js').ProviderDoor;

const openers: Readonly<Record<Exclude<Wire, 'openai-compatible'>, (door: Door) => Promise<Vendor>>> = {
  anthropic: async (door) =>
    (await import('../../../src/models/providers/anthropic.js')).openAnthropic('m', door),
  openai: async (door) => (await import('../../../src/models/providers/openai.js')).openOpenAI('m', door),
  'amazon-bedrock': async (door) =>
    (await import('../../../src/models/providers/amazon-bedrock.js')).openBedrock('m', door),
  google: async (door) => (await import('../../../src/models/providers/google.js')).openGoogle('m', door),
};
