import { describe, expect, test } from 'vitest';
import { knownModel } from '../../src/models/choice/known-model.js';
import { answerTokens, modelFacts } from '../../src/models/choice/model-facts.js';
import { costUsd } from '../../src/models/cost.js';
import { FREE, NO_MODEL_SETTINGS } from '../../src/models/settings.js';
import { settingsOf } from '../helpers/model-settings.js';

const PRICE = { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10 };
const LONG = {
  ...PRICE,
  long: { aboveTokens: 1_000, input: 4, cachedInput: 0.2, cacheWrite: 5, output: 15 },
};

describe('what a call costs', () => {
  test.each([
    ['fresh input and an answer', PRICE, { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100 }, 0.003],
    ['cached input at its price', PRICE, { inputTokens: 1_000, cachedTokens: 400, outputTokens: 0 }, 0.00124],
    [
      'what is written to the cache at its price',
      PRICE,
      { inputTokens: 1_000, cachedTokens: 400, cacheWriteTokens: 500, outputTokens: 0 },
      0.00149,
    ],
    ['a long request, not yet', LONG, { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100 }, 0.003],
    ['a long request, whole', LONG, { inputTokens: 1_001, cachedTokens: 1, outputTokens: 100 }, 0.0055002],
    ['a script', FREE.price, { inputTokens: 9_999, cachedTokens: 0, outputTokens: 9 }, 0],
    ['an unknown price', null, { inputTokens: 1, cachedTokens: 0, outputTokens: 1 }, null],
    [
      'one cached token of a cheap model',
      { ...PRICE, cachedInput: 0.005 },
      { inputTokens: 1, cachedTokens: 1, outputTokens: 0 },
      5e-9,
    ],
  ])('%s', (_what, price, usage, dollars) => {
    expect(costUsd(price, usage)).toBe(dollars);
  });

  test('more of the input in the cache than there is input makes nothing negative', () => {
    expect(costUsd(PRICE, { inputTokens: 1, cachedTokens: 10, outputTokens: 0 })).toBe(0.000001);
  });
});

describe('what is known of a model', () => {
  test.each([
    ['anthropic', 'claude-sonnet-4-5', 200_000],
    ['anthropic', 'claude-sonnet-4-5-20250929', 200_000],
    ['anthropic', 'claude-haiku-4-5-latest', 200_000],
    ['openai', 'gpt-5-2025-08-07', 400_000],
    ['openai', 'gpt-5.4-mini-2026-03-17', 400_000],
    ['google', 'gemini-2.0-flash-001', 1_048_576],
    ['google', 'gemini-2.5-flash-preview-09-2025', 1_048_576],
    ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['amazon-bedrock', 'anthropic.claude-opus-4-6-v1', 1_000_000],
    ['amazon-bedrock', 'global.anthropic.claude-sonnet-5-5', 1_000_000],
    ['amazon-bedrock', 'us-gov.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000],
  ] as const)('%s %s', (provider, name, context) => {
    expect(knownModel(provider, name)?.contextTokens).toBe(context);
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5-2025'],
    ['anthropic', 'claude'],
    ['anthropic', 'constructor'],
    ['anthropic', '-20250929'],
    ['openai', 'claude-sonnet-4-5'],
    ['openai-compatible', 'gpt-5'],
    ['amazon-bedrock', 'anthropic.claude-next-v1:0'],
    ['amazon-bedrock', 'claude-sonnet-4-5'],
  ] as const)('%s %s is not known', (provider, name) => {
    expect(knownModel(provider, name)).toBeUndefined();
  });

  test('what Amazon asks is not what the vendor asks', () => {
    expect(knownModel('amazon-bedrock', 'global.anthropic.claude-sonnet-5-5')?.price).toBeNull();
  });

  test('what the operator declares goes over the table, key by key', () => {
    const price = { input: 1, cachedInput: 1, cacheWrite: 1, output: 1 };
    const settings = settingsOf({
      declared: { 'anthropic/claude-opus-5': { price }, 'openai-compatible/x': { contextTokens: 8_192 } },
    });
    expect(modelFacts('anthropic', 'claude-opus-5', settings)).toEqual({
      facts: { contextTokens: 1_000_000, maxOutputTokens: 128_000, price },
      nameKnown: true,
      windowKnown: true,
    });
    expect(modelFacts('openai-compatible', 'x', settings)).toEqual({
      facts: { contextTokens: 8_192, maxOutputTokens: null, price: null },
      nameKnown: true,
      windowKnown: true,
    });
    expect(modelFacts('openai-compatible', 'y', settings)).toEqual({
      facts: { contextTokens: 32_768, maxOutputTokens: null, price: null },
      nameKnown: false,
      windowKnown: false,
    });
  });

  test.each([
    [FREE, 16_384],
    [modelFacts('anthropic', 'claude-opus-5', NO_MODEL_SETTINGS).facts, 16_384],
    [modelFacts('anthropic', 'claude-3-haiku-20240307', NO_MODEL_SETTINGS).facts, 4_096],
    [modelFacts('openai-compatible', 'x', NO_MODEL_SETTINGS).facts, 8_192],
    [{ ...FREE, contextTokens: 2 }, 1],
  ])('an answer is never asked longer than the model gives: %j', (facts, tokens) => {
    expect(answerTokens(facts)).toBe(tokens);
  });
});
