/**
 * `--attach`: where another process coordinates the team it is looked on and answered from here, in place of being refused.
 * A team that nobody coordinates is taken up as without it.
 */

import { findTeam } from '../../runtime/find-team.js';
import type { House } from '../../runtime/house.js';
import type { Resumed } from '../../runtime/resume-team.js';
import type { AttachedOptions, AttachedTeam } from '../../runtime/workers/attached-team.js';
import type { Finding } from '../../shared/findings.js';

/** Whether the only thing against taking a team up is that another process runs it. */
export function isHeldElsewhere(resumed: Resumed): boolean {
  return resumed.kind === 'refused' && resumed.findings.every(({ code }) => code === 'team-held');
}

export type Attached =
  | { readonly kind: 'attached'; readonly team: AttachedTeam }
  /** It has ended since it was found held. */
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Looks on at the team that an id or prefix names. */
export async function attachTo(house: House, typed: string, options: AttachedOptions): Promise<Attached> {
  if (house.redis === null) return { kind: 'refused', findings: [notInFiles(typed)] };
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { AttachedTeam } = await import('../../runtime/workers/attached-team.js');
  const team = await AttachedTeam.open(house, house.redis, found.value.id, options);
  if (team.state().phase.kind !== 'ended') return { kind: 'attached', team };
  team.detach();
  await team.over;
  return { kind: 'over' };
}

function notInFiles(id: string): Finding {
  return {
    code: 'no-redis',
    severity: 'error',
    path: '--attach',
    message: 'a team in files that runs is looked on and answered by commands of their own',
    remedy: `bnerd team watch ${id}; bnerd team answer ${id} <request> yes|no|<text>`,
  };
}
