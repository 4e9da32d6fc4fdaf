/** Doors that cannot be one of their provider are refused before any call, without saying what they hold. */

import { afterEach, expect, test } from 'vitest';
import { baseUrl, versionedUrl } from '../../../src/models/providers/base-url.js';
import { type Credential, type ProviderDoor, secretsOf } from '../../../src/models/providers/door.js';
import { openProvider } from '../../../src/models/providers/open-provider.js';
import { told } from '../../../src/models/providers/told.js';
import { FREE } from '../../../src/models/settings.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Wire } from '../../helpers/providers/far-side.js';
import { KEY, KEY_OF_TESTS, openFar, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';
import { QUESTION } from './ask-far.js';

const releases = new Releases();
afterEach(() => releases.run());

const NONE: Credential = { kind: 'none' };
const TOKEN: Credential = { kind: 'token', variable: 'ANTHROPIC_AUTH_TOKEN', token: 't' };
const AWS: Credential = {
  kind: 'aws',
  variable: 'AWS_ACCESS_KEY_ID',
  accessKeyId: 'AKIA',
  secretAccessKey: 'very-secret',
  sessionToken: null,
};

test.each<[Wire, Partial<ProviderDoor>, string, RegExp]>([
  ['anthropic', { credential: NONE }, 'bad-credential', /^anthropic: needs a key or a token, not "none"$/],
  ['openai', { credential: TOKEN }, 'bad-credential', /^openai: needs a key, not "token"$/],
  ['google', { credential: AWS }, 'bad-credential', /^google: needs a key, not "aws"$/],
  ['openai-compatible', { credential: TOKEN }, 'bad-credential', /needs a key or none, not "token"$/],
  ['openai-compatible', { baseUrl: null }, 'bad-base-url', /^openai-compatible: has no address$/],
  [
    'amazon-bedrock',
    { credential: NONE },
    'bad-credential',
    /needs a bearer key or an access key, not "none"$/,
  ],
  ['amazon-bedrock', { region: null }, 'bad-region', /has no region/],
  ['amazon-bedrock', { region: 'evil.example/x#' }, 'bad-region', /or one that no region is called$/],
  ['openai', { baseUrl: 'file:///etc' }, 'bad-base-url', /it is no http or https address; allowed: https:/],
])('%s with %j', async (provider, door, code, message) => {
  const opened = openProvider(
    { provider, name: 'm', id: `${provider}/m`, recorded: false, origin: 'flag' },
    { baseUrl: 'http://127.0.0.1:1', credential: KEY_OF_TESTS, region: 'eu-central-1', ...door },
    FREE,
  );
  await expect(opened).rejects.toMatchObject({
    name: 'UserError',
    code,
    message: expect.stringMatching(message),
  });
});

test.each(['', ' ', `${KEY}\n`, `${KEY} x`, 'schlüssel'])(
  'a key %j is refused and not shown',
  async (key) => {
    const credential = { kind: 'key', variable: 'TEST_API_KEY', key } as const;
    const opened = openFar('openai', 'http://127.0.0.1:1', { credential });
    const error = await opened.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'UserError', code: 'bad-credential' });
    expect(String(error)).toMatch(/: TEST_API_KEY is empty or holds blanks or characters that no key has/);
    if (key.trim() !== '') expect(String(error)).not.toContain(key.trim().slice(0, 6));
  },
);

test.each([
  ['https://api.example/v1', 'https://api.example/v1'],
  ['https://api.example/v1///', 'https://api.example/v1'],
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ['HTTPS://API.example', 'https://api.example'],
])('the address %s is %s', (written, expected) => {
  expect(baseUrl(written)).toBe(expected);
});

test.each([
  ['api.example', /no http or https/],
  ['ftp://api.example', /no http or https/],
  ['https://user:pass@api.example', /holds a name or a password/],
  ['https://api.example/?key=1', /goes on behind its path/],
  ['https://api.example/#x', /goes on behind its path/],
])('the address %s is refused', (written, reason) => {
  expect(() => baseUrl(written)).toThrow(reason);
  expect(() => baseUrl(written)).toThrow(expect.not.objectContaining({ message: /pass@|key=1/ }));
});

test.each([
  ['https://gate.example', 'https://gate.example/v1'],
  ['https://gate.example/anthropic/', 'https://gate.example/anthropic/v1'],
  ['https://gate.example/v1', 'https://gate.example/v1'],
  ['https://gate.example/v1beta', 'https://gate.example/v1beta'],
])('the address %s is asked at %s', (written, expected) => {
  expect(versionedUrl(written, 'v1')).toBe(expected);
});

test('secrets of a door are all that must not be told', () => {
  expect(secretsOf(AWS)).toEqual(['AKIA', 'very-secret']);
  expect(secretsOf({ ...AWS, sessionToken: 's' })).toEqual(['AKIA', 'very-secret', 's']);
  expect(secretsOf(NONE)).toEqual([]);
});

test('what is told is one line, short, and without the key even where the line is cut', () => {
  const key = 'k/+&"'.repeat(8);
  const credential: Credential = { kind: 'key', variable: 'K', key };
  const forms = [key, encodeURIComponent(key), JSON.stringify(key), Buffer.from(key).toString('base64url')];
  for (const form of forms) {
    for (let before = 240; before < 310; before += 7) {
      const line = told(`${'x'.repeat(before)}${form} after`, credential);
      expect(line.length).toBeLessThanOrEqual(300);
      expect(line).not.toContain(form.slice(0, 6));
    }
  }
  expect(told('a\nb\u001b[31mc', credential)).toBe('a\\nb[31mc');
});

test('a placeholder in place of a key is no secret, and leaves words whole', () => {
  const credential: Credential = { kind: 'key', variable: 'K', key: 'ollama' };
  expect(told('ollama has no such model', credential)).toBe('ollama has no such model');
});

test.each(WIRES)('%s: what a model knows of itself is what it was opened with', async (wire) => {
  const far = await startFarSide(wire, () => ({ kind: 'reply', text: 'x' }), releases);
  const model = await openFar(wire, far.url);
  expect(model.facts).toEqual({ contextTokens: 200_000, maxOutputTokens: 8192, price: null });
  expect(model.leftover('lead', 'lead', QUESTION.messages)).toEqual([]);
});
