/**
 * Short names of models (spec/team.md §9): those of every installation, and the operator's own, which come first. An
 * alias may name another; a circle is found and told, never followed. Compared without case: files made for other
 * programs write `Sonnet` as well.
 */

/**
 * The built-in ones. Targets are what their vendors recommend for everyday agent work, as of 2026-11. There is no
 * `openai-compatible/default`: what runs behind an address of the operator's is known to the operator.
 */
export const BUILT_IN_ALIASES: ReadonlyMap<string, string> = new Map([
  ['opus', 'anthropic/claude-opus-5-5'],
  ['sonnet', 'anthropic/claude-sonnet-5-5'],
  ['haiku', 'anthropic/claude-haiku-5-5'],
  ['anthropic/default', 'anthropic/claude-sonnet-5-5'],
  ['openai/default', 'openai/gpt-6.2-sol'],
  ['google/default', 'google/gemini-3.8-flash'],
  // The profile that is not bound to the regions of one continent.
  ['amazon-bedrock/default', 'amazon-bedrock/global.anthropic.claude-sonnet-5-5'],
]);

export type AliasTarget =
  /** `byOperator`: the last step stands in the settings file. */
  | { readonly kind: 'target'; readonly text: string; readonly byOperator: boolean }
  /** The names of the circle, the first one again at its end. */
  | { readonly kind: 'circle'; readonly names: readonly string[] };

/** Follows a text through the aliases to one that is none. */
export function followAliases(text: string, own: ReadonlyMap<string, string>): AliasTarget {
  const ours = new Map([...own].map(([name, target]) => [name.toLowerCase(), target]));
  const passed: string[] = [];
  let current = text.trim();
  let byOperator = false;
  for (;;) {
    const name = current.toLowerCase();
    const next = ours.get(name) ?? BUILT_IN_ALIASES.get(name);
    if (next === undefined) return { kind: 'target', text: current, byOperator };
    const before = passed.findIndex((seen) => seen.toLowerCase() === name);
    if (before !== -1) return { kind: 'circle', names: [...passed.slice(before), current] };
    byOperator = ours.has(name);
    passed.push(current);
    current = next.trim();
  }
}

/** Every alias there is, the operator's first; for suggestions. */
export function aliasNames(own: ReadonlyMap<string, string>): string[] {
  return [...new Set([...own.keys(), ...BUILT_IN_ALIASES.keys()])];
}
