/** Model settings for tests, from what a test has to say. */

import type { DeclaredModel, DeclaredProvider, ModelSettings } from '../../src/models/settings.js';

export interface Said {
  readonly variables?: Readonly<Record<string, string>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly declared?: Readonly<Record<string, Partial<DeclaredModel>>>;
  readonly providers?: Readonly<Record<string, Partial<DeclaredProvider>>>;
}

export function settingsOf(said: Said): ModelSettings {
  return {
    variables: new Map(Object.entries(said.variables ?? {})),
    aliases: new Map(Object.entries(said.aliases ?? {})),
    declared: new Map(
      Object.entries(said.declared ?? {}).map(([id, facts]) => [
        id,
        { contextTokens: null, maxOutputTokens: null, price: null, ...facts },
      ]),
    ),
    providers: new Map(
      Object.entries(said.providers ?? {}).map(([name, door]) => [
        name,
        { baseUrl: null, apiKeyVariable: null, ...door },
      ]),
    ),
  };
}
