/** What a model call may cost at most, before it is made (spec/team.md §9). Pure. */

import { sentBytes, toolBytes } from './counted-bytes.js';
import type { ModelRequest } from './model.js';
import type { ModelFacts, ModelPrice } from './settings.js';

/**
 * Bytes that count as a token when too few would be the mistake: prose has four and more, code and JSON three and some,
 * and what a provider writes around each message and tool is counted beside them.
 */
const LEAST_BYTES_PER_TOKEN = 3;
const TOKENS_AROUND_EACH = 12;

/** Prices are for so many tokens. */
const PER_TOKENS = 1_000_000;

/** A shorter answer is cut off in the middle of a call or a sentence more often than it says something. */
const SHORTEST_ANSWER = 1_024;

export interface MostOfCall {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly leastOutputTokens: number;
  /** US dollars; null: the price is not known. */
  readonly priced: { readonly inputUsd: number; readonly outputUsd: number } | null;
}

/** All that a request sends, and the longest answer it asks for, at the dearest way the price list knows. */
export function mostOfCall(
  request: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'maxOutputTokens'>,
  { price }: Pick<ModelFacts, 'price'>,
): MostOfCall {
  const inputTokens = mostInputTokens(request);
  const outputTokens = request.maxOutputTokens;
  return {
    inputTokens,
    outputTokens,
    leastOutputTokens: Math.min(outputTokens, SHORTEST_ANSWER),
    priced: price === null ? null : pricedAt(price, inputTokens, outputTokens),
  };
}

function mostInputTokens({ system, messages, tools }: Parameters<typeof mostOfCall>[0]): number {
  let bytes = 0;
  for (const { text } of system) bytes += Buffer.byteLength(text);
  for (const message of messages) bytes += sentBytes(message);
  for (const tool of tools) bytes += toolBytes(tool);
  const around = system.length + messages.length + tools.length;
  return Math.ceil(bytes / LEAST_BYTES_PER_TOKEN) + TOKENS_AROUND_EACH * around;
}

/** Nothing is taken to come from a cache; that all of it is written to one is dearer than that it is not. */
function pricedAt(
  price: ModelPrice,
  inputTokens: number,
  outputTokens: number,
): { inputUsd: number; outputUsd: number } {
  const { long } = price;
  const rates = long !== undefined && inputTokens > long.aboveTokens ? [price, long] : [price];
  const dearest = Math.max(...rates.map(({ input, cacheWrite }) => Math.max(input, cacheWrite)));
  const output = Math.max(...rates.map((rate) => rate.output));
  return {
    inputUsd: (inputTokens * dearest) / PER_TOKENS,
    outputUsd: (outputTokens * output) / PER_TOKENS,
  };
}
