/**
 * Which admission rules are about an entry (spec/skills.md §4): a mode or role × a name, glob or source × a guard. Pure.
 *
 * Always true: what a rule leaves out matches everything; `*` stands for any characters and every other character of a
 * name for itself, so that no name of an entry is read as a pattern and no pattern as an expression.
 */

import { sameRole } from '../../shared/role-identity.js';
import { matchesWildcard } from '../../shared/wildcard.js';
import type { Entry } from '../entry.js';
import type { AdmissionRule } from '../settings.js';

/** Who is about to be given an entry: `team`, `chat`, `code`, `pa`, `brief`, `import`; and the role, where there is one. */
export interface EntryUse {
  readonly mode: string;
  readonly role: string | null;
}

/** Whether a rule is about this entry in this use. */
export function isAbout(
  rule: Pick<AdmissionRule, 'for' | 'name' | 'source'>,
  entry: Pick<Entry, 'name' | 'tier'>,
  { mode, role }: EntryUse,
): boolean {
  const forThem = rule.for === null || rule.for === mode || (role !== null && sameRole(rule.for, role));
  const named = rule.name === null || matchesWildcard(rule.name, entry.name);
  return forThem && named && (rule.source === null || rule.source === entry.tier);
}
