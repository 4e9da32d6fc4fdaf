/**
 * Reads what the operator adds to the lists of roles: the text of `BNERD_AGENT_SKILLS` (spec/skills.md §7.1),
 * `role=a,b;role2=c`, or `a,b` for every role. It can add and never remove.
 */

import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { quoted, Remarks } from '../remark.js';

export interface SkillAdditions {
  /** The variable or flag they came by, for findings. */
  readonly source: string;
  /** Names of entries for every role. */
  readonly everyone: readonly string[];
  /** Names of entries by the identity of the role. */
  readonly byRole: ReadonlyMap<string, readonly string[]>;
}

/** No additions at all. */
export function noAdditions(source = 'BNERD_AGENT_SKILLS'): SkillAdditions {
  return { source, everyone: [], byRole: new Map() };
}

/**
 * The additions a text asks for. Bad syntax gives findings of severity error and no additions at all, so that
 * half of a mistyped list is never used.
 * @param source the name of the variable, as it is shown
 */
export function parseAdditions(
  text: string,
  source: string,
): { readonly additions: SkillAdditions; readonly findings: readonly Finding[] } {
  const remarks = new Remarks(source);
  const none = noAdditions(source);
  if (text.trim() === '') return { additions: none, findings: [] };
  if (!/[=;]/.test(text)) {
    const everyone = readNames(text, remarks);
    const additions = remarks.findings.length === 0 ? { ...none, everyone } : none;
    return { additions, findings: remarks.findings };
  }
  const byRole = new Map<string, readonly string[]>();
  for (const part of text.split(';')) {
    const [role = '', names, ...rest] = part.split('=');
    if (role.trim() === '' || names === undefined || rest.length > 0) {
      remarks.add(
        'error',
        'additions-syntax',
        null,
        `found the part ${quoted(part.trim())}, allowed is role=a,b`,
        'write role=a,b;role2=c, or a,b for every role',
      );
      continue;
    }
    const identity = roleIdentity(role.trim());
    byRole.set(identity, [...(byRole.get(identity) ?? []), ...readNames(names, remarks)]);
  }
  const { findings } = remarks;
  return { additions: findings.length === 0 ? { ...none, byRole } : none, findings };
}

function readNames(text: string, remarks: Remarks): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) {
    remarks.add(
      'error',
      'additions-syntax',
      null,
      `found an empty name in ${quoted(text.trim())}`,
      'write the names of the entries with one comma between two of them',
    );
  }
  return names;
}
