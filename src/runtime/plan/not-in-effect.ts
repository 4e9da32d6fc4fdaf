/**
 * What a role says and this version does not do, reported by key: nothing is ignored in silence (invariant 10).
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Role } from '../../catalog/roles/role.js';
import type { Finding, Severity } from '../../shared/findings.js';

/** Remarks on a role as a member gets it; none refuses: each makes the member less, never more. */
export function roleNotInEffect(role: Role): Finding[] {
  const findings: Finding[] = [];
  const report = (key: string, severity: Severity, message: string, remedy: string): void => {
    findings.push(remark(role, [key], severity, 'not-in-effect', `\`${key}\` ${message}`, remedy));
  };
  if (role.grants.length > 0) {
    const granted = role.grants.join(', ');
    report(
      'grants',
      'warning',
      `(${granted}) is not in effect: what a member can do follows from its tools`,
      'give the role the tools that its skills require',
    );
  }
  if (role.engineerSkills.length > 0 && !role.delegate)
    report(
      'engineer_skills',
      'warning',
      'is not in effect: the role does not delegate',
      'write delegate: true, or list what the member itself needs in `skills`',
    );
  if (role.color !== null)
    report('color', 'info', 'is not in effect: nothing is shown in colours', 'nothing to do');
  return findings;
}

interface Written {
  readonly path: string;
  readonly lines: ReadonlyMap<string, number>;
}

function remark(
  written: Written,
  at: readonly PropertyKey[],
  severity: Severity,
  code: string,
  message: string,
  remedy: string,
): Finding {
  return { code, severity, ...placeIn(written, at), message, remedy };
}
