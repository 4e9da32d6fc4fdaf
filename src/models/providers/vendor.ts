/**
 * What a vendor's file gives to the one adapter: a maker of its package's model object, and how its wire wants a
 * request. A model object serves one question at a time, so that whatever happens on the line belongs to one (M1).
 */

import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';

export interface Vendor {
  /** A model object that speaks through `fetch`; keeps nothing between questions and does not retry. */
  language(fetch: typeof globalThis.fetch): LanguageModelV3;
  readonly dialect: Dialect;
}

export interface Dialect {
  /** `blocks`: one block for each part of the system prompt. `joined`: one leading message. */
  readonly system: 'blocks' | 'joined';
  /** Marks the last system block as the end of what is to be cached; null where the wire has no such mark. */
  readonly cacheMark: SharedV3ProviderOptions | null;
  /** Said with every tool where the vendor would otherwise rewrite its schema. */
  readonly strictTools: false | null;
  /** The smallest bound on an answer that the vendor takes. */
  readonly leastOutputTokens: number;
  /** Said with every request. */
  readonly requestOptions: SharedV3ProviderOptions;
}
