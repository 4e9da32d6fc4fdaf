/** `provider/name`: what a person writes to name a model (spec/team.md §9). The shape alone; nothing is looked up. */

/** Vendors of language models, by the word before the slash. */
export const PROVIDER_NAMES = [
  'anthropic',
  'openai',
  'openai-compatible',
  'amazon-bedrock',
  'google',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Every word that may stand before the slash. */
export const PROVIDERS: readonly string[] = ['script', ...PROVIDER_NAMES, 'record', 'replay', 'simulated'];

/** No vendor's name of a model has one, and a terminal would obey some. */
const NO_NAME = /[\p{C}\s]/u;

export type ModelName =
  | { readonly kind: 'script'; readonly name: string }
  | { readonly kind: 'provider'; readonly provider: ProviderName; readonly name: string }
  /** Nobody thinks: the members are played by the runtime itself. */
  | { readonly kind: 'simulated' }
  /** `inherit`: as if nothing had been written. */
  | { readonly kind: 'inherit' }
  /** A word without a provider: an alias, or a vendor's own name of a model. */
  | { readonly kind: 'bare'; readonly text: string }
  /** Another model, whose answers are recorded so that they can be played again; its name or an alias of it. */
  | { readonly kind: 'record'; readonly inner: string }
  /** A recorded team, by its id or the beginning of it. */
  | { readonly kind: 'replay'; readonly team: string }
  | { readonly kind: 'unknown-provider'; readonly provider: string }
  | { readonly kind: 'malformed' };

/** Reads a model's name. Total. */
export function parseModelName(text: string): ModelName {
  const written = text.trim();
  if (written === '' || written.includes('\0')) return { kind: 'malformed' };
  if (written.toLowerCase() === 'inherit') return { kind: 'inherit' };
  const slash = written.indexOf('/');
  if (slash === -1) return { kind: 'bare', text: written };
  const provider = written.slice(0, slash);
  const name = written.slice(slash + 1);
  if (provider === '' || name === '') return { kind: 'malformed' };
  if (provider === 'script') return { kind: 'script', name };
  if (provider === 'simulated') return name === 'stand-in' ? { kind: 'simulated' } : { kind: 'malformed' };
  if (provider === 'record') return { kind: 'record', inner: name };
  if (provider === 'replay')
    return NO_NAME.test(name) ? { kind: 'malformed' } : { kind: 'replay', team: name };
  const known = PROVIDER_NAMES.find((candidate) => candidate === provider);
  if (known !== undefined) {
    return NO_NAME.test(name) ? { kind: 'malformed' } : { kind: 'provider', provider: known, name };
  }
  return { kind: 'unknown-provider', provider };
}
