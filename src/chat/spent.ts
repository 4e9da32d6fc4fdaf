/** What a chat has used so far. */

import { costUsd } from '../models/cost.js';
import type { Usage } from '../models/model.js';
import type { ModelPrice } from '../models/settings.js';

export interface Spent {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars at list price; null: the price is not known. */
  readonly costUsd: number | null;
}

export const NOTHING_SPENT: Spent = {
  modelCalls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** With one more answer. */
export function withUsage(spent: Spent, usage: Usage, price: ModelPrice | null): Spent {
  const cost = costUsd(price, usage);
  return {
    modelCalls: spent.modelCalls + 1,
    inputTokens: spent.inputTokens + usage.inputTokens,
    cachedTokens: spent.cachedTokens + usage.cachedTokens,
    outputTokens: spent.outputTokens + usage.outputTokens,
    costUsd: cost === null || spent.costUsd === null ? null : spent.costUsd + cost,
  };
}
