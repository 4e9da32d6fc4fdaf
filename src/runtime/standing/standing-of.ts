/** The standing of the members of a run, bound to its record and to the trust files that it goes by. */

import type { FactOf } from '../../events/event.js';
import type { House } from '../house.js';
import type { OpenTeam } from '../open-team.js';
import { runTrust } from './run-trust.js';
import { Standing } from './standing.js';

/** @param broken why stored texts cannot be used, by SHA-256 */
export function standingOf(
  house: House,
  { store }: Pick<OpenTeam, 'store'>,
  run: Omit<FactOf<'run.started'>, 'type'>,
  broken: ReadonlyMap<string, string>,
): Standing {
  return new Standing({ store, trust: runTrust(house, run), today: house.trust, broken });
}
