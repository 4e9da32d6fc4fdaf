/** What a model call costs at list price (spec/team.md §9). Pure. */

import type { Usage } from './model.js';
import type { ModelPrice } from './settings.js';

/** Prices are for so many tokens. */
const PER_TOKENS = 1_000_000;

/** Dollars are kept to this many places: more than any list price times one token needs, and no binary noise. */
const PLACES = 1e10;

/**
 * US dollars of one call; null when the price is not known. Input that was read from a cache or written to one is paid
 * at its own price, the rest of the input at the full one.
 */
export function costUsd(price: ModelPrice | null, usage: Usage): number | null {
  if (price === null) return null;
  const { inputTokens, cachedTokens, cacheWriteTokens = 0, outputTokens } = usage;
  const rate = price.long !== undefined && inputTokens > price.long.aboveTokens ? price.long : price;
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const dollars =
    (fresh * rate.input +
      cachedTokens * rate.cachedInput +
      cacheWriteTokens * rate.cacheWrite +
      outputTokens * rate.output) /
    PER_TOKENS;
  return Math.round(dollars * PLACES) / PLACES;
}
