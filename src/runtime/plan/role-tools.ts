/** The tools of a role as a member has them: what its file says, under the safety and with the duties of a seat. */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { RosterMember } from '../../catalog/roster.js';
import type { Safety } from '../../events/facts/frozen.js';
import { type MemberTools, memberTools, type ProvidedTool } from '../../tools/registry.js';

/**
 * The one way from a role file to tools, for a run and for `lint`.
 * @param provided what the entries of the member provide
 */
export function roleTools(
  seat: Pick<RosterMember, 'name' | 'role' | 'lead' | 'planMode' | 'confirms'> & {
    /** It may delegate: its role says so, and there is an engineer. */
    readonly delegates: boolean;
    /** It leads a team in which somebody delegates. */
    readonly adopts?: boolean;
  },
  safety: Safety,
  provided: readonly ProvidedTool[] = [],
): MemberTools {
  const { name, role, lead, planMode, confirms, delegates, adopts = false } = seat;
  return memberTools({
    safety,
    base: role.base,
    tools: role.tools,
    disallowedTools: role.disallowedTools,
    lead,
    planMode,
    confirms,
    delegates,
    adopts,
    role: name,
    provided,
    places: { tools: placeIn(role, ['tools']), disallowedTools: placeIn(role, ['disallowedTools']) },
  });
}
