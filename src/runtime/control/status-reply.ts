/**
 * Where a team stands, told by the process that runs it, which holds the state: whoever asks has not to fold the record.
 *
 * Always true: nothing is told that is not durable (invariant 7). The view is of one moment, and is told when all that
 * had been decided by then is in the record.
 */

import type { TeamStore } from '../../state/team-store.js';
import { statusView } from '../../team/show/status.js';
import type { SeenOf } from '../../team/show/status-briefs.js';
import type { House } from '../house.js';
import { seenAt } from '../seen-at.js';
import type { ControlReply } from './control-protocol.js';

/**
 * The view of this moment. Rejects when what it shows will never be in the record.
 * @param seenOf what engineers do: of this process alone, and in no record
 */
export async function statusReply(
  { clock }: Pick<House, 'clock'>,
  team: string,
  store: TeamStore,
  seenOf: SeenOf,
): Promise<ControlReply> {
  const { state, walls } = store;
  const view = statusView(state, team, seenAt(state, walls, clock.wallMs()), { engineerOf: seenOf });
  await store.settled();
  if (store.state !== state) {
    return { kind: 'refused', code: 'overtaken', message: 'another process wrote to the record meanwhile' };
  }
  return { kind: 'status', started: walls?.first ?? '', view };
}
