/**
 * What a lint says of entries that reach a member and do not fit it well (spec/skills.md §1): nothing of it keeps an
 * entry away, and no tool is given or taken by it.
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { RosterMember } from '../../catalog/roster.js';
import type { Finding } from '../../shared/findings.js';
import { appliesToMember } from '../../skills/choose/force-load.js';
import type { Entry } from '../../skills/entry.js';
import { unresolvedSuggestions } from '../../skills/guards/suggested-tools.js';
import { CLAUDE_NAMES, isAbsent } from '../../tools/names/foreign-names.js';

/**
 * Remarks on the entries that instruct a member.
 * @param tools names of the tools that it has
 */
export function entryRemarks(
  member: Pick<RosterMember, 'name' | 'role'>,
  entries: readonly Entry[],
  tools: readonly string[],
): readonly Finding[] {
  return entries.flatMap((entry) => [
    ...appliesElsewhere(member, entry),
    ...lackingTools(member, entry, tools),
    ...unresolvedSuggestions(entry, (written) => isThere(written, tools)),
  ]);
}

/** `applies_to` decides what is offered and what comes by itself; what a list names is loaded all the same. */
function appliesElsewhere({ name, role }: Pick<RosterMember, 'name' | 'role'>, entry: Entry): Finding[] {
  if (entry.appliesTo === null || appliesToMember(entry, name)) return [];
  const elsewhere = entry.appliesTo.length === 0 ? 'nothing' : entry.appliesTo.join(', ');
  return [
    {
      code: 'applies-elsewhere',
      severity: 'info',
      ...placeIn(role, ['skills']),
      message: `${entry.kind} ${entry.name} applies to ${elsewhere}; ${name} gets it all the same, since it is named`,
      remedy: `nothing to do, or add team or ${name} to applies_to in ${entry.path}`,
    },
  ];
}

/** `allowed-tools` gives no tool and takes none from a member: it says what the text counts on. */
function lackingTools(
  { name, role }: Pick<RosterMember, 'name' | 'role'>,
  entry: Entry,
  tools: readonly string[],
): Finding[] {
  const lacking = (entry.allowedTools ?? []).filter((written) => !isThere(written, tools));
  if (lacking.length === 0) return [];
  return [
    {
      code: 'allowed-tools-lacking',
      severity: 'warning',
      ...placeIn(role, ['skills']),
      message: `${entry.kind} ${entry.name} counts on ${lacking.join(', ')} (allowed-tools), which ${name} does not have`,
      remedy: 'give the role these tools, or take the entry off its list',
    },
  ];
}

/** Whether a name, ours or one of Claude Code, with or without a pattern, stands for a tool that is there. */
function isThere(written: string, tools: readonly string[]): boolean {
  const [name = ''] = written.split('(', 1);
  const plain = name.trim();
  if (isAbsent(plain)) return false;
  return (CLAUDE_NAMES.get(plain) ?? [plain]).some((ours) => tools.includes(ours));
}
