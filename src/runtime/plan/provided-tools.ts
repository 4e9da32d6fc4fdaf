/**
 * The tools that the entries of a member provide (spec/skills.md §1 `tools`): which of them join its tools, and what
 * keeps one from being a tool at all.
 *
 * Always true: no name stands for two tools. A tool of this program, of any version, is never hidden by one of an entry,
 * and no word by which roles allow and forbid tools becomes the name of one; of two entries that provide one name neither
 * is chosen for the member: it does not start.
 */

import type { RosterMember } from '../../catalog/roster.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { OWN_TOOLS } from '../../tools/names/own-names.js';
import { isTakenName } from '../../tools/names/taken-names.js';
import type { ProvidedTool } from '../../tools/registry.js';

export interface ProvidedTools {
  readonly tools: readonly ProvidedTool[];
  /** Errors: names that collide. */
  readonly findings: readonly Finding[];
}

/** @param entries those that instruct the member; what is only shown provides nothing */
export function providedTools(member: Pick<RosterMember, 'name'>, entries: readonly Entry[]): ProvidedTools {
  const owners = new Map<string, Entry>();
  const tools: ProvidedTool[] = [];
  const findings: Finding[] = [];
  for (const entry of entries) {
    for (const { name, class: toolClass } of entry.tools) {
      const other = owners.get(name);
      const taken = other === undefined ? ownTool(name) : `what ${titleOf(other)} provides`;
      if (taken !== undefined) findings.push(collision(member, entry, name, taken));
      else tools.push({ name, class: toolClass, entry: entry.name });
      owners.set(name, other ?? entry);
    }
  }
  return { tools, findings };
}

/** Every name of a tool that an entry in use provides: what rules and lists may speak of. */
export function providedNames({ entries }: Pick<Registry, 'entries'>): ReadonlySet<string> {
  return new Set(entries.flatMap(({ tools }) => tools.map(({ name }) => name)));
}

function ownTool(name: string): string | undefined {
  if (OWN_TOOLS.has(name)) return `the tool ${name} of bnerd`;
  return isTakenName(name) ? `what ${name} means in lists of tools` : undefined;
}

function titleOf({ kind, name }: Entry): string {
  return `${kind} ${name}`;
}

function collision(
  { name: member }: Pick<RosterMember, 'name'>,
  entry: Entry,
  tool: string,
  taken: string,
): Finding {
  return {
    code: 'tool-collision',
    severity: 'error',
    path: entry.path,
    message: `${member} would have two tools ${tool}: what ${titleOf(entry)} provides, and ${taken}`,
    remedy: 'rename one of them in its entry, or take one of the entries off the list of the role',
  };
}
