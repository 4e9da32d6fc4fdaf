/**
 * What a name with a pattern, `Bash(git diff:*)`, comes to as rules of one member (spec/team.md §2). Allowed, it gives
 * its tool for matching calls alone; disallowed, it takes matching calls away from every tool of the same kind. What
 * cannot be expressed gives nothing, or takes all.
 */

import { coversCommand, isEverything, patternKind, patternProblem } from '../../team/policy/pattern-match.js';

/** A pattern about one tool; `match` as `team/policy/pattern-match.ts` reads it. */
export interface ToolPattern {
  readonly tool: string;
  readonly match: string;
}

export type PatternReading =
  /** It names all of the tool. */
  | { readonly kind: 'whole' }
  /** `names`: tools that it gives whole. */
  | { readonly kind: 'rules'; readonly rules: readonly ToolPattern[]; readonly names: readonly string[] }
  /** `why` follows "since". */
  | { readonly kind: 'inexpressible'; readonly why: string };

/** Tools that do the same in other ways: what is denied to one is denied to all. */
const FAMILIES: readonly (readonly string[])[] = [
  ['shell_exec', 'git_status', 'git_diff', 'git_log', 'git_show', 'git_blame', 'git_commit'],
  ['fs_read_file', 'fs_grep'],
  ['fs_write_file', 'fs_edit_file', 'fs_delete'],
  ['web_fetch'],
];

/** Tools whose names may be written with a pattern; others only share what is denied to one of these. */
const NAMED: ReadonlySet<string> = new Set([
  'shell_exec',
  'fs_read_file',
  'fs_write_file',
  'fs_edit_file',
  'fs_delete',
  'web_fetch',
]);

/** Reading git commands that have a tool of their own: a pattern that covers all of one gives the tool as well. */
const GIT_COMMANDS: readonly string[] = ['status', 'diff', 'log', 'show', 'blame'];

/**
 * Reads the pattern of a name.
 * @param tool the tool that the name stands for, as bnerd calls it
 */
export function readToolPattern(
  tool: string,
  match: string,
  key: 'tools' | 'disallowedTools',
): PatternReading {
  if (!NAMED.has(tool)) return { kind: 'inexpressible', why: 'calls of this tool are not told apart' };
  if (isEverything(tool, match)) return { kind: 'whole' };
  const why = patternProblem(tool, match);
  if (why !== undefined) return { kind: 'inexpressible', why };
  if (key === 'tools') return { kind: 'rules', rules: [{ tool, match }], names: gitTools(tool, match) };
  const family = FAMILIES.find((tools) => tools.includes(tool)) ?? [tool];
  return { kind: 'rules', rules: family.map((member) => ({ tool: member, match })), names: [] };
}

function gitTools(tool: string, match: string): string[] {
  if (patternKind(tool) !== 'command') return [];
  return GIT_COMMANDS.filter((command) => coversCommand(match, `git ${command}`)).map(
    (command) => `git_${command}`,
  );
}
