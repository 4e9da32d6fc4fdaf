/**
 * Names that no tool of an entry may have. A role forbids and allows tools by name, in our words and in those of
 * Claude Code: a skill that named its tool `Write` would turn a role's `disallowedTools: [Write]`, which means
 * `fs_write_file`, into a word about itself.
 *
 * Always true: what any list of tools means by a name without entries, it means with them. Names of tools that exist
 * are taken in any case, since whoever confirms a call reads them so; names of what is never here as they are written.
 */

import { CLAUDE_NAMES, isAbsent } from './foreign-names.js';
import { OWN_TOOLS } from './own-names.js';

const TAKEN: ReadonlySet<string> = new Set([...OWN_TOOLS, ...CLAUDE_NAMES.keys()].map(folded));

/** Whether a name means something already, in this program or in the lists of roles. */
export function isTakenName(name: string): boolean {
  return TAKEN.has(folded(name)) || isAbsent(name);
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}
