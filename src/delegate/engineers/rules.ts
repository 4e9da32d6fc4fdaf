/**
 * What the rules of a brief mean for an engineer (case E106): they name tools as members have them, an engineer has tools of
 * its own. Each adapter turns what is said here into its program's own means, or refuses the order by name; no rule is
 * dropped.
 *
 * A rule is about calls of tools, for an engineer as for a member: one about files does not speak of what a command does.
 */

import type { DeniedRule } from '../brief/brief.js';

/** What a rule is about, of what an engineer has. */
export type Matter =
  /** Commands; `words`: those that the tool itself runs, where it is one of git. */
  | { readonly kind: 'command'; readonly words: string | null }
  | { readonly kind: 'read'; readonly tool: 'read' | 'search' | 'list' }
  | { readonly kind: 'change'; readonly tool: 'write' | 'edit' | 'delete' }
  | { readonly kind: 'fetch' };

const FILES: Readonly<Record<string, Matter>> = {
  fs_read_file: { kind: 'read', tool: 'read' },
  fs_grep: { kind: 'read', tool: 'search' },
  fs_glob: { kind: 'read', tool: 'list' },
  fs_list: { kind: 'read', tool: 'list' },
  fs_write_file: { kind: 'change', tool: 'write' },
  fs_edit_file: { kind: 'change', tool: 'edit' },
  fs_delete: { kind: 'change', tool: 'delete' },
  web_fetch: { kind: 'fetch' },
  shell_exec: { kind: 'command', words: null },
};

/**
 * What a rule is about; empty: nothing that an engineer has. It sends no mail and delegates nothing, and tools that entries
 * bring to members do not reach it.
 */
export function mattersOf({ tool, match }: DeniedRule): readonly Matter[] {
  if (tool === '*') return Object.values(FILES);
  if (/^git_[a-z]+$/.test(tool)) return [{ kind: 'command', words: `git ${tool.slice('git_'.length)}` }];
  // A root that members may read besides; there is none where an engineer works.
  if (match?.startsWith('reads:') === true) return [];
  const matter = FILES[tool];
  return matter === undefined ? [] : [matter];
}

/** Whether a rule is about all that its tool does. */
export function isWhole({ match }: DeniedRule): boolean {
  return match === null || /^[*\s/:]*\*[*\s/:]*$/.test(match) || /^domain:\*+$/i.test(match);
}

/** A rule as people know it. */
export function ruleText({ tool, match, decision, origin }: DeniedRule): string {
  return `the rule of ${origin} (${decision} ${tool}${match === null ? '' : ` ${match}`})`;
}

/** Why a rule that asks refuses here, for the end of a sentence about it; empty for one that denies. */
export function askNote({ decision }: DeniedRule): string {
  return decision === 'ask' ? '; an engineer works alone, so what a rule asks about is refused to it' : '';
}
