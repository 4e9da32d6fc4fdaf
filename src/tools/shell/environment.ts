/** The environment of a member's shell: an allow-list, since a key in the environment is everybody's to read. */

const ALLOWED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
]);

/** No colours, no pager that waits for a key, no prompt that waits for an answer. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * What a shell of this member starts with.
 * @param all the environment of this process, or a part of it; only names of the allow-list are taken
 */
export function shellEnvironment(
  all: Readonly<Record<string, string | undefined>>,
  owner: { readonly team: string; readonly member: string },
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith('LC_'))) kept[name] = value;
  }
  return { ...kept, ...FIXED, BNERD_TEAM: owner.team, BNERD_MEMBER: owner.member };
}
