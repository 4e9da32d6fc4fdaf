/**
 * What is known of the models of `anthropic`, `openai` and `google`: window, longest answer, list price in US dollars
 * per million tokens. As of 2026-11, from the vendors' model and price pages and from price lists that quote them.
 * Everything here may be overridden by `models:` of `~/.bnerd.yaml`.
 *
 * Always true:
 * 1. What no source said is null, never guessed. A reduction for cached input that was not found counts as none.
 * 2. A price that is lowered for a time stands here as it is without that: a bound on costs may come early, not late.
 * 3. Names are those the vendor answers to, without dates: `known-model.ts` reads dated forms.
 */

import type { ModelFacts, ModelPrice } from '../settings.js';

export type TabledProvider = 'anthropic' | 'openai' | 'google';

type Rows = Readonly<Record<string, ModelFacts>>;

/** Writing to Anthropic's five-minute cache costs a quarter more than reading afresh. */
const claude = (context: number, answer: number, input: number, cached: number, output: number): ModelFacts =>
  facts(context, answer, { input, cachedInput: cached, cacheWrite: input * 1.25, output });

const CLAUDE: Rows = {
  'claude-fable-5-1': claude(1_000_000, 128_000, 10, 0.25, 50),
  'claude-fable-5': claude(1_000_000, 128_000, 10, 1, 50),
  'claude-opus-5-5': claude(1_000_000, 128_000, 4, 0.2, 20),
  'claude-opus-5': claude(1_000_000, 128_000, 5, 0.5, 25),
  'claude-opus-4-8': claude(1_000_000, 128_000, 5, 0.5, 25),
  'claude-opus-4-7': claude(1_000_000, 128_000, 5, 0.5, 25),
  'claude-opus-4-6': claude(1_000_000, 128_000, 5, 0.5, 25),
  'claude-opus-4-5': claude(200_000, 64_000, 5, 0.5, 25),
  'claude-opus-4-1': claude(200_000, 32_000, 15, 1.5, 75),
  'claude-opus-4-0': claude(200_000, 32_000, 15, 1.5, 75),
  'claude-opus-4-20250514': claude(200_000, 32_000, 15, 1.5, 75),
  'claude-sonnet-5-5': claude(1_000_000, 128_000, 2, 0.1, 10),
  'claude-sonnet-5': claude(1_000_000, 128_000, 2, 0.2, 10),
  'claude-sonnet-4-6': claude(1_000_000, 64_000, 3, 0.3, 15),
  'claude-sonnet-4-5': claude(200_000, 64_000, 3, 0.3, 15),
  'claude-sonnet-4-0': claude(200_000, 64_000, 3, 0.3, 15),
  'claude-sonnet-4-20250514': claude(200_000, 64_000, 3, 0.3, 15),
  'claude-3-7-sonnet': claude(200_000, 64_000, 3, 0.3, 15),
  'claude-3-5-haiku': claude(200_000, 8_192, 0.8, 0.08, 4),
  'claude-haiku-5-5': facts(1_000_000, 128_000, {
    input: 0.1,
    cachedInput: 0.01,
    cacheWrite: 0.125,
    output: 0.5,
    long: { aboveTokens: 100_000, input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, output: 2.5 },
  }),
  'claude-haiku-4-5': claude(200_000, 64_000, 1, 0.1, 5),
  'claude-3-haiku': facts(200_000, 4_096, {
    input: 0.25,
    cachedInput: 0.03,
    cacheWrite: 0.3,
    output: 1.25,
  }),
};

/** Above 272,000 tokens of input OpenAI's large models cost double for them, and half as much again for the answer. */
const wide = (input: number, cachedInput: number, output: number, write = input): ModelFacts =>
  facts(1_050_000, 128_000, {
    input,
    cachedInput,
    cacheWrite: write,
    output,
    long: {
      aboveTokens: 272_000,
      input: input * 2,
      cachedInput: cachedInput * 2,
      cacheWrite: write * 2,
      output: output * 1.5,
    },
  });

/** Models that ask nothing extra for writing to their cache. */
const plain = (
  context: number,
  answer: number,
  input: number,
  cachedInput: number,
  output: number,
): ModelFacts => facts(context, answer, { input, cachedInput, cacheWrite: input, output });

const GPT: Rows = {
  'gpt-6.2-astra': { ...wide(8, 0.4, 40, 10), contextTokens: null, maxOutputTokens: null },
  'gpt-6.2-sol': wide(2, 0.1, 10, 2.5),
  'gpt-6.1-sol': wide(2, 0.1, 10, 2.5),
  'gpt-6.1-terra': wide(1, 0.05, 5, 1.25),
  'gpt-6-astra': wide(10, 1, 50, 12.5),
  'gpt-6-sol': wide(2, 0.2, 10, 2.5),
  'gpt-6-luna': wide(0.1, 0.01, 0.5, 0.125),
  'gpt-5.6': wide(5, 0.5, 30, 6.25),
  'gpt-5.6-sol': wide(5, 0.5, 30, 6.25),
  'gpt-5.6-terra': wide(2, 0.2, 12, 2.5),
  'gpt-5.6-luna': wide(0.2, 0.02, 1.2, 0.25),
  'gpt-5.5': wide(5, 0.5, 30),
  'gpt-5.4': wide(2.5, 0.25, 15),
  'gpt-5.4-pro': wide(30, 3, 180),
  'gpt-5.4-mini': plain(400_000, 128_000, 0.75, 0.075, 4.5),
  'gpt-5.4-nano': plain(400_000, 128_000, 0.2, 0.02, 1.25),
  'gpt-5.3-codex': listed(),
  'gpt-5.3-chat-latest': listed(),
  'gpt-5.2': plain(400_000, 128_000, 1.75, 0.175, 14),
  'gpt-5.2-codex': plain(400_000, 128_000, 1.75, 0.175, 14),
  'gpt-5.2-pro': plain(400_000, 128_000, 21, 21, 168),
  'gpt-5.2-chat-latest': plain(128_000, 16_384, 1.75, 0.175, 14),
  'gpt-5.1': plain(400_000, 128_000, 1.25, 0.125, 10),
  'gpt-5.1-codex': plain(400_000, 128_000, 1.25, 0.125, 10),
  'gpt-5.1-codex-max': plain(400_000, 128_000, 1.25, 0.125, 10),
  'gpt-5.1-codex-mini': plain(400_000, 128_000, 0.25, 0.025, 2),
  'gpt-5.1-chat-latest': plain(128_000, 16_384, 1.25, 0.125, 10),
  'gpt-5': plain(400_000, 128_000, 1.25, 0.125, 10),
  'gpt-5-codex': plain(400_000, 128_000, 1.25, 0.125, 10),
  'gpt-5-pro': plain(400_000, 272_000, 15, 15, 120),
  'gpt-5-mini': plain(400_000, 128_000, 0.25, 0.025, 2),
  'gpt-5-nano': plain(400_000, 128_000, 0.05, 0.005, 0.4),
  'gpt-5-chat-latest': plain(128_000, 16_384, 1.25, 0.125, 10),
  'gpt-4.1': plain(1_047_576, 32_768, 2, 0.5, 8),
  'gpt-4.1-mini': { ...listed(), contextTokens: 1_047_576, maxOutputTokens: 32_768 },
  'gpt-4.1-nano': plain(1_047_576, 32_768, 0.1, 0.025, 0.4),
  'gpt-4o': plain(128_000, 16_384, 2.5, 1.25, 10),
  // An older snapshot at an older price.
  'gpt-4o-2024-05-13': plain(128_000, 4_096, 5, 5, 15),
  'gpt-4o-mini': plain(128_000, 16_384, 0.15, 0.075, 0.6),
  'gpt-3.5-turbo': listed(),
  o3: plain(200_000, 100_000, 2, 0.5, 8),
  'o3-pro': plain(200_000, 100_000, 20, 20, 80),
  'o3-mini': plain(200_000, 100_000, 1.1, 0.55, 4.4),
  'o4-mini': plain(200_000, 100_000, 1.1, 0.275, 4.4),
  o1: plain(200_000, 100_000, 15, 7.5, 60),
};

const GEMINI_CONTEXT = 1_048_576;
const GEMINI_ANSWER = 65_536;

const gemini = (input: number, cachedInput: number, output: number, answer = GEMINI_ANSWER): ModelFacts =>
  facts(GEMINI_CONTEXT, answer, { input, cachedInput, cacheWrite: input, output });

const GEMINI_PRO_3: ModelFacts = facts(GEMINI_CONTEXT, GEMINI_ANSWER, {
  input: 2,
  cachedInput: 0.2,
  cacheWrite: 2,
  output: 12,
  long: { aboveTokens: 200_000, input: 4, cachedInput: 0.4, cacheWrite: 4, output: 18 },
});

const GEMINI: Rows = {
  'gemini-4-argon': gemini(4, 0.2, 20),
  'gemini-4-neon': gemini(3, 0.15, 15),
  'gemini-4-hydrogen': { ...gemini(1.5, 0.075, 7.5), maxOutputTokens: null },
  'gemini-3.8-flash': gemini(1.5, 0.15, 7.5),
  'gemini-3.7-flash': gemini(1.5, 0.15, 7.5),
  'gemini-3.6-flash': { ...listed(), contextTokens: GEMINI_CONTEXT, maxOutputTokens: GEMINI_ANSWER },
  'gemini-3.5-flash': gemini(1.5, 0.15, 9),
  'gemini-3.5-flash-lite': gemini(0.3, 0.3, 2.5),
  'gemini-3.1-pro-preview': GEMINI_PRO_3,
  'gemini-3.1-pro-preview-customtools': GEMINI_PRO_3,
  'gemini-3.1-flash-lite': gemini(0.25, 0.025, 1.5),
  'gemini-3.1-flash-lite-preview': gemini(0.25, 0.025, 1.5),
  'gemini-3-pro-preview': GEMINI_PRO_3,
  'gemini-3-flash-preview': gemini(0.5, 0.05, 3),
  'gemini-2.5-pro': facts(GEMINI_CONTEXT, GEMINI_ANSWER, {
    input: 1.25,
    cachedInput: 0.125,
    cacheWrite: 1.25,
    output: 10,
    long: { aboveTokens: 200_000, input: 2.5, cachedInput: 0.25, cacheWrite: 2.5, output: 15 },
  }),
  'gemini-2.5-flash': gemini(0.3, 0.03, 2.5),
  'gemini-2.5-flash-lite': gemini(0.1, 0.01, 0.4),
  'gemini-2.0-flash': gemini(0.1, 0.025, 0.4, 8_192),
  'gemini-2.0-flash-lite': gemini(0.075, 0.01875, 0.3, 8_192),
  'gemini-pro-latest': listed(),
  'gemini-flash-latest': listed(),
  'gemini-flash-lite-latest': listed(),
};

/** By vendor, then by name. A null inside says that no source was found. */
export const MODEL_TABLE: Readonly<Record<TabledProvider, Rows>> = {
  anthropic: CLAUDE,
  openai: GPT,
  google: GEMINI,
};

function facts(contextTokens: number, maxOutputTokens: number, price: ModelPrice): ModelFacts {
  return { contextTokens, maxOutputTokens, price };
}

/** A name that the vendor's library lists, and no more. */
function listed(): ModelFacts {
  return { contextTokens: null, maxOutputTokens: null, price: null };
}
