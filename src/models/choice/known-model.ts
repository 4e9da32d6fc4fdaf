/**
 * Finds a model in the table by the name somebody wrote: exactly, or in one of the forms in which vendors write the
 * same model (`-20250929`, `-2025-08-07`, `-latest`, `-001`; on Bedrock with a prefix and a version). Pure.
 */

import type { ModelFacts } from '../settings.js';
import type { ProviderName } from './model-name.js';
import { MODEL_TABLE, type TabledProvider } from './model-table.js';

/** What vendors hang on a name for one state of a model. */
const STATE = /(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-\d{3}|-preview-\d{2}-\d{4})$/;

/** `us.anthropic.claude-…-20250929-v1:0`: profile, vendor, name, version. */
const BEDROCK = /^(?:[a-z]{2,6}(?:-gov)?\.)?anthropic\.(claude-.+?)(?:-v\d+)?(?::\d+\w*)?$/;

/** The facts of a model that the table knows; undefined for every other. */
export function knownModel(provider: ProviderName, name: string): ModelFacts | undefined {
  switch (provider) {
    case 'anthropic':
    case 'openai':
    case 'google':
      return inTable(provider, name);
    case 'amazon-bedrock': {
      const inner = BEDROCK.exec(name)?.[1];
      const facts = inner === undefined ? undefined : inTable('anthropic', inner);
      // The model is the same; what Amazon asks for it depends on the region, and is not in the table.
      return facts === undefined ? undefined : { ...facts, price: null };
    }
    case 'openai-compatible':
      return undefined;
  }
}

/** The vendor whose table has a name that was written without one, with the name as the vendor spells it. */
export function vendorOf(
  name: string,
): { readonly provider: TabledProvider; readonly name: string } | undefined {
  const spelled = name.toLowerCase();
  for (const provider of TABLED) {
    if (inTable(provider, spelled) !== undefined) return { provider, name: spelled };
  }
  return undefined;
}

/** Every name of a provider's table; empty for a provider that has none. */
export function knownNames(provider: ProviderName): readonly string[] {
  const tabled = TABLED.find((candidate) => candidate === provider);
  return tabled === undefined ? [] : Object.keys(MODEL_TABLE[tabled]);
}

const TABLED: readonly TabledProvider[] = ['anthropic', 'openai', 'google'];

function inTable(provider: TabledProvider, name: string): ModelFacts | undefined {
  const rows = new Map(Object.entries(MODEL_TABLE[provider]));
  return rows.get(name) ?? rows.get(name.replace(STATE, ''));
}
