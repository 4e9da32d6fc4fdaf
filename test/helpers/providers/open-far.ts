/** A model of each provider that speaks with a loopback server in its place. */

import type { Model } from '../../../src/models/model.js';
import type { Credential } from '../../../src/models/providers/door.js';
import { openProvider, type ProviderTiming } from '../../../src/models/providers/open-provider.js';
import type { ModelFacts } from '../../../src/models/settings.js';
import type { Wire } from './far-side.js';

export const WIRES: readonly Wire[] = [
  'anthropic',
  'openai',
  'openai-compatible',
  'amazon-bedrock',
  'google',
];

/** A name that a model of each provider has; bodies are made by it in places. */
export const MODEL_NAMES: Readonly<Record<Wire, string>> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-4.1',
  'openai-compatible': 'qwen3',
  'amazon-bedrock': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  google: 'gemini-2.5-pro',
};

export const KEY = 'sk-test-0123456789abcdef';

export const KEY_OF_TESTS: Credential = { kind: 'key', variable: 'TEST_API_KEY', key: KEY };

const FACTS: ModelFacts = { contextTokens: 200_000, maxOutputTokens: 8192, price: null };

/** @param timing deadlines that a test cannot wait for are given by it */
export function openFar(
  wire: Wire,
  url: string,
  { credential = KEY_OF_TESTS, name = MODEL_NAMES[wire], timing }: OpenFarOptions = {},
): Promise<Model> {
  return openProvider(
    { provider: wire, name, id: `${wire}/${name}`, recorded: false, origin: 'flag' },
    { baseUrl: url, credential, region: wire === 'amazon-bedrock' ? 'eu-central-1' : null },
    FACTS,
    timing,
  );
}

export interface OpenFarOptions {
  readonly credential?: Credential;
  readonly name?: string;
  readonly timing?: ProviderTiming | undefined;
}
