/**
 * What can be said of a role file without a recipe: its tools under the mildest safety there is, its skills, keys
 * without effect (spec/team.md §1). Whatever fails here fails in every team.
 */

import { placeIn } from '../catalog/files/written-mapping.js';
import type { Role } from '../catalog/roles/role.js';
import { UNTRUSTED } from '../catalog/trust.js';
import type { Finding } from '../shared/findings.js';
import { noAdditions } from '../skills/choose/additions.js';
import { forceLoad } from '../skills/choose/force-load.js';
import { REFERENCE_TEXT } from '../skills/choose/resolve-name.js';
import type { Registry } from '../skills/registry.js';
import { roleNotInEffect } from './plan/not-in-effect.js';
import { roleTools } from './plan/role-tools.js';

/**
 * Findings on a role alone. That it names a skill nobody has here is a warning: the team it was written for may have
 * it, and in a team the same is an error. One that nobody has approved yet is a remark on the entry.
 */
export function lintRoleAlone(role: Role, registry: Registry): Finding[] {
  const planMode = role.permissionMode === 'plan';
  const { findings } = roleTools(
    { name: role.name, role, lead: false, planMode, confirms: false, delegates: role.delegate },
    'full',
  );
  return [...findings, ...roleNotInEffect(role), ...skillFindings(role, registry)];
}

function skillFindings(role: Role, registry: Registry): Finding[] {
  const loaded = forceLoad({
    registry,
    role: role.name,
    rolePath: role.path,
    roleSkills: role.skills,
    additions: noAdditions(),
    granted: [],
  });
  const shown = loaded.notes.filter(({ code }) => code === REFERENCE_TEXT);
  const refusals = loaded.refusals.map(
    (finding): Finding =>
      // Whose word it waits for says nothing against the role: the rule is not used yet, and that is all.
      finding.code === UNTRUSTED
        ? { ...finding, severity: 'info' }
        : { ...finding, severity: 'warning', ...placeIn(role, ['skills']) },
  );
  return [...shown, ...refusals];
}
