/**
 * The process of a recipe (spec/skills.md §7 "Process entries"): the one entry that governs the order of steps, for the
 * lead. A team without the process that its recipe names is not the team that was asked for, so whatever keeps the entry
 * from the lead refuses the run.
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { RosterMember } from '../../catalog/roster.js';
import { needsTrust } from '../../catalog/trust.js';
import { assertNever } from '../../shared/assert-never.js';
import type { Finding } from '../../shared/findings.js';
import { lackingFor, lackingText } from '../../skills/choose/gates.js';
import { resolveName } from '../../skills/choose/resolve-name.js';
import type { Capability, Entry } from '../../skills/entry.js';
import { hitText } from '../../skills/guards/guard-entry.js';
import type { Registry } from '../../skills/registry.js';
import type { AskGuards } from './guarded.js';

export interface ProcessEntry {
  /** Null: the recipe names none, or one that refuses the run. */
  readonly entry: Entry | null;
  readonly findings: readonly Finding[];
}

/** Of a recipe that names none, and of every member but the lead. */
export const NO_PROCESS: ProcessEntry = { entry: null, findings: [] };

/** @param granted what the lead can do */
export async function processEntry(
  recipe: Recipe,
  lead: RosterMember,
  granted: readonly Capability[],
  registry: Registry,
  guards: AskGuards,
): Promise<ProcessEntry> {
  const { process: name } = recipe;
  if (name === null) return NO_PROCESS;
  const place = placeIn(recipe, ['process']);
  const refused = (code: string, message: string, remedy: string): ProcessEntry => ({
    entry: null,
    findings: [{ code, severity: 'error', ...place, message: `process: ${message}`, remedy }],
  });
  const resolved = resolveName(name, registry, recipe.path);
  switch (resolved.kind) {
    case 'unknown':
      return refused('unknown-skill', resolved.message, resolved.remedy);
    case 'refused':
      return { entry: null, findings: [resolved.finding] };
    case 'reference': {
      const what = `process "${resolved.entry.name}" (named by ${recipe.path})`;
      return { entry: null, findings: [needsTrust(what, resolved.remark)] };
    }
    case 'entry':
      break;
    default:
      return assertNever(resolved, 'a resolved name');
  }
  const { entry, notes } = resolved;
  if (entry.kind === 'rule' || !entry.process) {
    const what = entry.kind === 'rule' ? 'is a rule' : 'is no process entry';
    const remedy = `name a skill that says process: true, or list ${entry.name} in a role`;
    return refused('not-a-process', `"${entry.name}" ${what} (${entry.path})`, remedy);
  }
  const lacking = lackingFor(entry, granted);
  if (lacking.length > 0) {
    const remedy = `give the role ${lead.name} the tools it needs, or take process out of the recipe`;
    return refused('process-rejected', lackingText(entry, lacking), remedy);
  }
  const hits = await guards(entry, lead.name);
  if (hits.length > 0) {
    const remedy = `read ${entry.path} and mend it, or take process out of the recipe`;
    return refused('process-rejected', `${entry.name}: ${hits.map(hitText).join('; ')}`, remedy);
  }
  return { entry, findings: [...notes, ...(registry.quiet.get(entry.path) ?? [])] };
}
