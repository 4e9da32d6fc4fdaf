import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/settings-file.js';
import { PROVIDER_KEYS } from '../../src/config/settings-keys.js';
import { PROVIDER_NAMES } from '../../src/models/choice/model-name.js';

function settingsOf(text: string) {
  const parsed = parseSettings(text);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return parsed.value;
}

test('aliases, models and providers are read with units in their names', () => {
  const { aliases, models, providers } = settingsOf(`aliases:
  fast: openai/gpt-6-luna
  openai-compatible/default: openai-compatible/llama3:8b
models:
  openai-compatible/llama3:8b: {context: 8192, max-output: 2048, price: {input: 0, output: 0}}
  anthropic/claude-next:
    price: {input: 4, cached: 0.4, cache-write: 5, output: 20}
  google/x: {}
providers:
  openai-compatible: {base-url: 'http://127.0.0.1:11434/v1', api-key-env: MY_KEY}
  anthropic: {base-url: https://gateway.example}
`);
  expect(Object.fromEntries(aliases)).toEqual({
    fast: 'openai/gpt-6-luna',
    'openai-compatible/default': 'openai-compatible/llama3:8b',
  });
  expect(Object.fromEntries(models)).toEqual({
    'openai-compatible/llama3:8b': {
      contextTokens: 8192,
      maxOutputTokens: 2048,
      price: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
    },
    'anthropic/claude-next': {
      contextTokens: null,
      maxOutputTokens: null,
      price: { input: 4, cachedInput: 0.4, cacheWrite: 5, output: 20 },
    },
    'google/x': { contextTokens: null, maxOutputTokens: null, price: null },
  });
  expect(Object.fromEntries(providers)).toEqual({
    'openai-compatible': { baseUrl: 'http://127.0.0.1:11434/v1', apiKeyVariable: 'MY_KEY' },
    anthropic: { baseUrl: 'https://gateway.example', apiKeyVariable: null },
  });
});

test('the providers of the file are those there are', () => {
  expect([...PROVIDER_KEYS].sort()).toEqual([...PROVIDER_NAMES].sort());
});

describe('what is refused, with its line', () => {
  const KEY = 'sk-proj-aaaaaaaaaaaaaaaaaaaa';
  const rows: readonly (readonly [string, number, string, RegExp])[] = [
    ['Aliases: {a: b}', 1, 'key-spelling', /"Aliases".*"aliases"/],
    ['models:\n  openai/x:\n    maxOutput: 5', 3, 'key-spelling', /"maxOutput".*"max-output"/],
    [
      'models:\n  openai/x: {price: {cache_write: 1, input: 1, output: 1}}',
      2,
      'key-spelling',
      /"cache-write"/,
    ],
    ['providers:\n  openai_compatible: {base-url: x}', 2, 'key-spelling', /"openai-compatible"/],
    ['providers:\n  openai:\n    baseUrl: x', 3, 'key-spelling', /"base-url"/],
    ['aliases: [a]', 1, 'bad-value', /aliases is \["a"\]; expected a mapping/],
    ['aliases:\n  fast: 5', 2, 'bad-value', /aliases\.fast is 5; expected text/],
    ['aliases:\n  fast: ""', 2, 'bad-value', /aliases\.fast is ""; expected text that is not empty/],
    [
      'models:\n  gpt-9: {context: 5}',
      2,
      'bad-value',
      /expected <provider>\/<model>, the provider one of anthropic/,
    ],
    ['models:\n  mistral/x: {context: 5}', 2, 'bad-value', /expected <provider>\/<model>/],
    ['models:\n  openai/x: {contxt: 5}', 2, 'unknown-key', /"contxt".*allowed: context, max-output, price/],
    ['models:\n  openai/x: {context: many}', 2, 'bad-value', /context is "many"; expected a number/],
    ['models:\n  openai/x: {context: 1.5}', 2, 'bad-value', /context is 1\.5; expected a whole number/],
    ['models:\n  openai/x: {context: 0}', 2, 'bad-value', /context is 0; expected a number of at least 1/],
    [
      'models:\n  openai/x: {price: {input: 1}}',
      2,
      'missing-field',
      /price\.output is missing; expected a number/,
    ],
    [
      'models:\n  openai/x: {price: {input: -1, output: 1}}',
      2,
      'bad-value',
      /input is -1; expected a number of at least 0/,
    ],
    [
      'models:\n  openai/x: {price: {in: 1, input: 1, output: 1}}',
      2,
      'unknown-key',
      /"in".*allowed: input, cached/,
    ],
    ['models:\n  openai/x: 5', 2, 'bad-value', /expected a mapping/],
    ['providers:\n  mistral: {}', 2, 'unknown-key', /"mistral".*allowed: anthropic, openai/],
    [
      `providers:\n  openai:\n    api-key: ${KEY}`,
      3,
      'unknown-key',
      /"api-key".*allowed: base-url, api-key-env/,
    ],
    [
      `providers:\n  openai:\n    api-key-env: ${KEY}`,
      3,
      'bad-value',
      /expected the name of an environment variable/,
    ],
    [`providers:\n  openai:\n    ${KEY}: x`, 3, 'unknown-key', /not shown/],
    [`model: [${KEY}]`, 1, 'bad-value', /not shown/],
  ];
  test.each(rows)('%j', (text, line, code, message) => {
    const parsed = parseSettings(text);
    const findings = parsed.kind === 'refused' ? parsed.findings : [];
    expect(findings[0]).toMatchObject({ code, line, severity: 'error', path: '~/.bnerd.yaml' });
    expect(findings[0]?.message).toMatch(message);
    expect(findings[0]?.remedy).not.toBe('');
    expect(JSON.stringify(findings)).not.toContain(KEY);
  });
});
