/** The values of `--model`: `<m>` for all roles, `<role>=<m>` for one. Pure. */

import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { oneLine } from '../../shared/terminal-text.js';
import { shownName } from './shown-name.js';

export interface ModelFlags {
  /** By `roleIdentity`. */
  readonly byRole: ReadonlyMap<string, string>;
  readonly forAll: string | undefined;
  /** A role that there is not, two models for one role. */
  readonly findings: readonly Finding[];
}

/** Reads the flags against the roles of the team. */
export function readModelFlags(flags: readonly string[], roles: readonly string[]): ModelFlags {
  const byRole = new Map<string, string>();
  const findings: Finding[] = [];
  let forAll: string | undefined;
  const remark = (code: string, message: string, remedy: string): void => {
    findings.push({ code, severity: 'error', path: '--model', message, remedy });
  };
  for (const flag of flags) {
    // A role name holds no slash; `script/a=b.yaml` is one file name.
    const match = /^([^/=]+)=(.*)$/s.exec(flag);
    const [role, model] = match === null ? [undefined, flag] : [match[1] ?? '', match[2] ?? ''];
    const key = role === undefined ? undefined : roleIdentity(role);
    const before = key === undefined ? forAll : byRole.get(key);
    if (role !== undefined && !roles.some((known) => roleIdentity(known) === key)) {
      const message = `the team has no role ${shownName(role, 60)}; its roles: ${roles.join(', ')}`;
      remark('unknown-role', message, nameRemedy(role, roles));
      continue;
    }
    if (before !== undefined && before !== model) {
      const whom = role === undefined ? 'all roles' : `the role "${oneLine(role, 60)}"`;
      const message = `two models for ${whom}: ${shownName(before, 80)} and ${shownName(model, 80)}; allowed: one`;
      remark('duplicate-model', message, 'keep one of the two flags');
      continue;
    }
    if (key === undefined) forAll = model;
    else byRole.set(key, model);
  }
  return { byRole, forAll, findings };
}
