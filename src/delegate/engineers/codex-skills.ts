/**
 * Skills that a prompt brings in for Codex by naming them: `$name` anywhere in it, or a link `[$…](…/SKILL.md)`. Measured
 * with 0.171.0: it reads those of a repository that is not trusted too, and no setting of its own turns them all off; one by
 * one, by name, they can be. So each name that stands in a prompt, which holds untrusted text, is turned off.
 */

export type SkillsOff =
  | { readonly kind: 'off'; readonly args: readonly string[] }
  | { readonly kind: 'refused'; readonly detail: string };

/** What the system takes as one argument, with room. */
const ARGUMENT_BYTES = 100_000;

/** Arguments with which no skill that the prompt names is brought in, or why there are none. */
export function skillsOff(prompt: string): SkillsOff {
  const link = /\[\s*\$[^\]]*\]\s*\((?!\s*https?:)[^)]*\)/i.exec(prompt)?.[0];
  if (link !== undefined) {
    return { kind: 'refused', detail: `the prompt has a link to a skill, which codex would read: ${link}` };
  }
  const names = new Set([...prompt.matchAll(/\$([A-Za-z0-9_:-]+)/g)].map(([, name = '']) => name));
  if (names.size === 0) return { kind: 'off', args: [] };
  const entries = [...names].map((name) => `{name="${name}",enabled=false}`);
  const setting = `skills.config=[${entries.join(',')}]`;
  return setting.length <= ARGUMENT_BYTES
    ? { kind: 'off', args: ['-c', setting] }
    : {
        kind: 'refused',
        detail: `the prompt has ${names.size} words behind a dollar sign, each of which codex may take for a skill; at most some 2,500 can be turned off`,
      };
}
