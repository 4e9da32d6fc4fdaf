import { describe, expect, test } from 'vitest';
import { accessTo, providersWithKey, withoutKeys } from '../../../src/models/choice/access.js';
import type { ProviderName } from '../../../src/models/choice/model-name.js';
import { providerAddress } from '../../../src/models/choice/provider-address.js';
import { type Said, settingsOf } from '../../helpers/model-settings.js';

type Variables = Readonly<Record<string, string>>;
const PAIR = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

describe('the door to a provider', () => {
  const rows: readonly (readonly [string, ProviderName, Said, object])[] = [
    [
      'a key',
      'anthropic',
      { variables: { ANTHROPIC_API_KEY: 'k' } },
      { baseUrl: null, credential: { kind: 'key', variable: 'ANTHROPIC_API_KEY', key: 'k' }, region: null },
    ],
    [
      'a token before a key, as in the vendor’s own tools',
      'anthropic',
      { variables: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't' } },
      { credential: { kind: 'token', variable: 'ANTHROPIC_AUTH_TOKEN', token: 't' } },
    ],
    [
      'the first of three names',
      'google',
      { variables: { GOOGLE_API_KEY: 'c', GEMINI_API_KEY: 'b' } },
      { credential: { kind: 'key', variable: 'GEMINI_API_KEY', key: 'b' } },
    ],
    [
      'a server without a key',
      'openai-compatible',
      { variables: { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:11434/v1/' } },
      { baseUrl: 'http://127.0.0.1:11434/v1', credential: { kind: 'none' } },
    ],
    [
      'address and name of the variable from the settings',
      'openai-compatible',
      {
        variables: { MY_KEY: 'k' },
        providers: { 'openai-compatible': { baseUrl: 'http://h/v1', apiKeyVariable: 'MY_KEY' } },
      },
      { baseUrl: 'http://h/v1', credential: { kind: 'key', variable: 'MY_KEY', key: 'k' } },
    ],
    [
      'a pair with its session, and the second name of the region',
      'amazon-bedrock',
      { variables: { ...PAIR, AWS_SESSION_TOKEN: 's', AWS_DEFAULT_REGION: 'eu-central-1' } },
      {
        credential: {
          kind: 'aws',
          variable: 'AWS_ACCESS_KEY_ID',
          accessKeyId: 'id',
          secretAccessKey: 'secret',
          sessionToken: 's',
        },
        region: 'eu-central-1',
      },
    ],
    [
      'a bearer key before the pair',
      'amazon-bedrock',
      {
        variables: {
          ...PAIR,
          AWS_BEARER_TOKEN_BEDROCK: 'b',
          AWS_REGION: 'us-east-1',
          AWS_DEFAULT_REGION: 'x',
        },
      },
      { credential: { kind: 'key', variable: 'AWS_BEARER_TOKEN_BEDROCK', key: 'b' }, region: 'us-east-1' },
    ],
  ];
  test.each(rows)('%s', (_what, provider, said, door) => {
    expect(accessTo(provider, settingsOf(said))).toMatchObject({ kind: 'open', door });
  });

  const closed: readonly (readonly [string, ProviderName, Said, string, string, string])[] = [
    ['no key', 'openai', {}, 'no-key', 'looked for OPENAI_API_KEY in the environment', 'set OPENAI_API_KEY'],
    [
      'half a pair',
      'amazon-bedrock',
      { variables: { AWS_ACCESS_KEY_ID: 'id', AWS_REGION: 'x' } },
      'no-key',
      'AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY',
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ],
    [
      'no region',
      'amazon-bedrock',
      { variables: PAIR },
      'no-region',
      'AWS_REGION, AWS_DEFAULT_REGION',
      'AWS_REGION',
    ],
    ['no address', 'openai-compatible', {}, 'no-base-url', 'OPENAI_COMPATIBLE_BASE_URL', 'base-url: <url>'],
    [
      'a named variable that is not set',
      'openai-compatible',
      { providers: { 'openai-compatible': { baseUrl: 'http://h/v1', apiKeyVariable: 'MY_KEY' } } },
      'no-key',
      'looked for MY_KEY',
      'set MY_KEY',
    ],
  ];
  test.each(closed)('%s', (_what, provider, said, code, found, remedy) => {
    const access = accessTo(provider, settingsOf(said));
    if (access.kind === 'open') throw new Error('it is open');
    expect(access.code).toBe(code);
    expect(access.found).toContain(found);
    expect(access.remedy).toContain(remedy);
  });
});

describe('an address', () => {
  test('is taken as it stands, and the variable beats the settings', () => {
    const providers = { openai: { baseUrl: 'http://settings/v1' } };
    const variables = { OPENAI_BASE_URL: 'http://variable/v1' };
    expect(providerAddress('openai', settingsOf({ providers }))).toMatchObject({
      baseUrl: 'http://settings/v1',
    });
    expect(providerAddress('openai', settingsOf({ providers, variables }))).toMatchObject({
      baseUrl: 'http://variable/v1',
    });
  });

  test.each([
    'gateway',
    'ftp://x',
    'https://me:word-of-mine@x',
    'https://x?key=word-of-mine',
    'https://x#word-of-mine',
  ])('that cannot be one is refused without a word of it: %j', (text) => {
    const access = accessTo(
      'openai',
      settingsOf({ variables: { OPENAI_BASE_URL: text, OPENAI_API_KEY: 'k' } }),
    );
    expect(access).toMatchObject({ kind: 'closed', code: 'bad-base-url' });
    expect(JSON.stringify(access)).toContain('OPENAI_BASE_URL');
    expect(JSON.stringify(access)).not.toContain('word-of-mine');
  });
});

describe('whose key is there', () => {
  const rows: readonly (readonly [string, Variables, readonly string[]])[] = [
    ['nobody’s', {}, []],
    ['one', { OPENAI_API_KEY: 'k' }, ['openai OPENAI_API_KEY']],
    ['two names of one provider', { GEMINI_API_KEY: 'a', GOOGLE_API_KEY: 'b' }, ['google GEMINI_API_KEY']],
    [
      'two',
      { ANTHROPIC_API_KEY: 'a', ...PAIR },
      ['anthropic ANTHROPIC_API_KEY', 'amazon-bedrock AWS_ACCESS_KEY_ID'],
    ],
    ['half a pair is none', { AWS_ACCESS_KEY_ID: 'id' }, []],
    [
      'an address alone',
      { OPENAI_COMPATIBLE_BASE_URL: 'http://h' },
      ['openai-compatible OPENAI_COMPATIBLE_BASE_URL'],
    ],
    [
      'an address beside a key is no second one',
      { OPENAI_COMPATIBLE_BASE_URL: 'http://h', ANTHROPIC_API_KEY: 'k' },
      ['anthropic ANTHROPIC_API_KEY'],
    ],
    ['another address of a vendor is no key', { ANTHROPIC_BASE_URL: 'http://h' }, []],
  ];
  test.each(rows)('%s', (_what, variables, found) => {
    expect(
      providersWithKey(settingsOf({ variables })).map((one) => `${one.provider} ${one.variable}`),
    ).toEqual(found);
    expect(providersWithKey(withoutKeys(settingsOf({ variables })))).toEqual([]);
  });
});
