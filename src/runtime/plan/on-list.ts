/** Where a finding on the list of a role points: at the list, so that an editor opens it there. Pure. */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Role } from '../../catalog/roles/role.js';
import type { Finding } from '../../shared/findings.js';

/** A finding on the file of the role, without a line of its own, gets that of the list; others stay as they are. */
export function onList(finding: Finding, role: Pick<Role, 'path' | 'lines'>): Finding {
  return finding.path === role.path && finding.line === undefined
    ? { ...finding, ...placeIn(role, ['skills']) }
    : finding;
}
