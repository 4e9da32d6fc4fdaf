/**
 * Keys of role files that more than the schema knows about: which are prose, and which mean something to Claude Code
 * and have no effect here. Without the schema library, since listings ask too.
 */

/** What decides who a member is and what it may do: read as YAML or not at all. */
const DECIDING_KEYS: readonly string[] = [
  'approver',
  'base',
  'delegate',
  'disallowedTools',
  'engineer_skills',
  'grants',
  'maxTurns',
  'model',
  'permissionMode',
  'skills',
  'tools',
  'workspace',
];

/** Whether the value of a key may be taken literally when its line is no YAML (`shared/repair-frontmatter.ts`, M1). */
export function isRoleText(key: string): boolean {
  return !DECIDING_KEYS.includes(key);
}

/** Keys that mean something to Claude Code and have no effect here; each is reported where it stands. */
export const KEYS_NOT_IN_EFFECT: readonly string[] = [
  'background',
  'criticalSystemReminder_EXPERIMENTAL',
  'effort',
  'hooks',
  'initialPrompt',
  'isolation',
  'mcpServers',
  'memory',
];

/** What people write for a list of allowed tools in other kinds of files, and nothing reads in a role. */
export const OTHER_TOOL_LISTS: readonly string[] = ['allowed-tools', 'allowedTools', 'allowed_tools'];

/** Permission modes that would loosen what the run allows. No role can. */
export const LOOSENING_MODES: readonly string[] = ['acceptEdits', 'auto', 'bypassPermissions', 'dontAsk'];
