/** What is said at the start of a team whose engineer cannot be held to what is denied to a member that delegates (case E106). */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { RosterMember } from '../../catalog/roster.js';
import { unheldBy } from '../../delegate/engineers/kinds.js';
import type { Finding } from '../../shared/findings.js';
import { deniedRules } from '../briefs/denied-rules.js';
import type { House } from '../house.js';
import type { Loadouts } from './loadout.js';
import { permissionRules } from './run-rules.js';
import type { SeatedTeam } from './seat-team.js';

/** One finding a member: its briefs are refused when it sends them, those that may change something at least. */
export function unheldFindings(
  house: House,
  { recipe, safety }: Pick<SeatedTeam, 'recipe' | 'safety'>,
  delegating: readonly RosterMember[],
  kind: string,
  { tools }: Loadouts,
): readonly Finding[] {
  const permissions = permissionRules(house, recipe);
  return delegating.flatMap(({ name }): Finding[] => {
    const seats = [{ member: name, patterns: [...(tools.get(name)?.patterns ?? [])] }];
    const deny = deniedRules({ permissions, seats }, name);
    const unheld = unheldBy(kind, { deny, safety }, house.delegation.engineers.get(kind));
    if (unheld === null) return [];
    return [
      {
        code: 'rule-not-held',
        severity: 'warning',
        ...placeIn(recipe, ['engineer']),
        message: `${name} can send no brief under ${safety}: ${unheld}`,
        remedy: 'change the rule or the engineer as said, or let the brief ask for a stricter safety',
      },
    ];
  });
}
