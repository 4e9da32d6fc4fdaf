/** `provider/name`: what a person writes to name a model (spec/team.md §9). */

/** Vendors of language models, by the word before the slash. */
export type ProviderName = 'anthropic' | 'openai' | 'openai-compatible' | 'amazon-bedrock' | 'google';

/** Providers that this version can open. */
export const PROVIDERS = ['script'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Named by the documentation, brought by later versions. */
const LATER: ReadonlySet<string> = new Set([
  'anthropic',
  'openai',
  'openai-compatible',
  'amazon-bedrock',
  'google',
  'record',
  'replay',
]);

/** Short names that role files use for Anthropic's models. */
const CLAUDE_ALIASES: ReadonlySet<string> = new Set(['opus', 'sonnet', 'haiku']);

export type ModelName =
  | { readonly kind: 'model'; readonly provider: Provider; readonly name: string }
  /** `inherit`: as if nothing had been written. */
  | { readonly kind: 'inherit' }
  /** Known, but not in this version. */
  | { readonly kind: 'unavailable'; readonly provider: string }
  | { readonly kind: 'unknown-provider'; readonly provider: string }
  | { readonly kind: 'malformed' };

/** Reads a model's name. Total. */
export function parseModelName(text: string): ModelName {
  const written = text.trim();
  if (written === 'inherit') return { kind: 'inherit' };
  if (CLAUDE_ALIASES.has(written)) return { kind: 'unavailable', provider: 'anthropic' };
  const slash = written.indexOf('/');
  const provider = written.slice(0, Math.max(0, slash));
  const name = written.slice(slash + 1);
  if (slash <= 0 || name === '' || name.includes('\0')) return { kind: 'malformed' };
  const known = PROVIDERS.find((candidate) => candidate === provider);
  if (known !== undefined) return { kind: 'model', provider: known, name };
  return LATER.has(provider) ? { kind: 'unavailable', provider } : { kind: 'unknown-provider', provider };
}
