/**
 * What this machine knows of language models: keys and addresses of providers, aliases, facts about models
 * (spec/team.md §9). Read once, by whoever starts the program.
 */

/** Variables, aliases and declarations, before anything of them is judged. Holds secrets. */
export interface ModelSettings {
  /** Variables of the environment that belong to providers (`ANTHROPIC_API_KEY`, …), set and not empty. */
  readonly variables: ReadonlyMap<string, string>;
  /** `aliases:` of the settings file, by alias as written. */
  readonly aliases: ReadonlyMap<string, string>;
  /** `models:` of the settings file, by `provider/name`: what the built-in table does not know or has otherwise. */
  readonly declared: ReadonlyMap<string, DeclaredModel>;
  /** `providers:` of the settings file. */
  readonly providers: ReadonlyMap<string, DeclaredProvider>;
}

export interface DeclaredModel {
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: ModelPrice | null;
}

export interface DeclaredProvider {
  readonly baseUrl: string | null;
  /** Name of the variable that holds the key. */
  readonly apiKeyVariable: string | null;
}

/** List price in US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Input read from the provider's cache. */
  readonly cachedInput: number;
  /** Input written to the provider's cache. */
  readonly cacheWrite: number;
  readonly output: number;
  /** What holds for a whole request, its answer included, whose input is longer than `aboveTokens`. */
  readonly long?: {
    readonly aboveTokens: number;
    readonly input: number;
    readonly cachedInput: number;
    readonly cacheWrite: number;
    readonly output: number;
  };
}

/** What is known of a model before it is asked. */
export interface ModelFacts {
  /** Window of the model, a low figure where it is not known; null: it has none, as a script. */
  readonly contextTokens: number | null;
  /** The longest answer it gives; null: not known. */
  readonly maxOutputTokens: number | null;
  /** Null: unknown, so a run with `cost_usd` refuses it. */
  readonly price: ModelPrice | null;
}

/** Costs nothing, has no window: a script, and the doubles of tests. */
export const FREE: ModelFacts = {
  contextTokens: null,
  maxOutputTokens: null,
  price: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
};

/** A machine without any provider. */
export const NO_MODEL_SETTINGS: ModelSettings = {
  variables: new Map(),
  aliases: new Map(),
  declared: new Map(),
  providers: new Map(),
};
