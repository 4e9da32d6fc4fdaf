/**
 * What is known of a model before it is asked: the table, and over it what the operator declares (spec/team.md §9).
 * What nobody knows counts as a low figure, and `windowKnown` says so.
 */

import type { ModelFacts, ModelSettings } from '../settings.js';
import { knownModel } from './known-model.js';
import type { ProviderName } from './model-name.js';

/** The window that an unknown model counts as (spec/skills.md §8). */
export const ASSUMED_CONTEXT_TOKENS = 32_768;

/** Longer answers are cut off by the model; large enough for a whole file of code. */
const MOST_ANSWER_TOKENS = 16_384;

/** An answer takes no more of the window than this part: the rest is for what is asked. */
const ANSWER_PART = 4;

export interface KnownFacts {
  readonly facts: ModelFacts;
  /** The table or the operator knows the name. */
  readonly nameKnown: boolean;
  /** Somebody said how large the window is; else it counts as `ASSUMED_CONTEXT_TOKENS`. */
  readonly windowKnown: boolean;
}

/** The facts about a provider's model. Total: every name has some. */
export function modelFacts(provider: ProviderName, name: string, settings: ModelSettings): KnownFacts {
  const declared = settings.declared.get(`${provider}/${name}`);
  const known = knownModel(provider, name);
  const window = declared?.contextTokens ?? known?.contextTokens ?? null;
  return {
    facts: {
      contextTokens: window ?? ASSUMED_CONTEXT_TOKENS,
      maxOutputTokens: declared?.maxOutputTokens ?? known?.maxOutputTokens ?? null,
      price: declared?.price ?? known?.price ?? null,
    },
    nameKnown: declared !== undefined || known !== undefined,
    windowKnown: window !== null,
  };
}

/** How long an answer may be asked for: never longer than the model gives, nor so long that nothing can be asked. */
export function answerTokens({ contextTokens, maxOutputTokens }: ModelFacts): number {
  const part = contextTokens === null ? MOST_ANSWER_TOKENS : Math.floor(contextTokens / ANSWER_PART);
  return Math.max(1, Math.min(MOST_ANSWER_TOKENS, maxOutputTokens ?? MOST_ANSWER_TOKENS, part));
}
