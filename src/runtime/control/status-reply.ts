/**
 * Where a team stands, told by the process that runs it, which holds the state: whoever asks has not to fold the record.
 *
 * Always true: nothing is told that is not durable (invariant 7). The view is of one moment, and is told when all that
 * had been decided by then is in the record.
 */

import type { TeamStore } from '../../state/team-store.js';
import { statusView } from '../../team/show/status.js';
import type { House } from '../house.js';
import { seenAt } from '../seen-at.js';
import type { ControlReply } from './control-protocol.js';

/**
 * The view of this moment. Rejects when what it shows will never be in the record.
 * @param program version of whoever asks: another one may show other things of a team
 */
export async function statusReply(
  program: string,
  { version, clock }: Pick<House, 'version' | 'clock'>,
  team: string,
  store: TeamStore,
): Promise<ControlReply> {
  if (program !== version)
    return refused('other_version', `this process is of version ${version}, not ${program}`);
  const { state, walls } = store;
  const view = statusView(state, team, seenAt(state, walls, clock.wallMs()));
  await store.settled();
  if (store.state !== state) return refused('overtaken', 'another process wrote to the record meanwhile');
  return { kind: 'status', started: walls?.first ?? '', view };
}

function refused(code: string, message: string): ControlReply {
  return { kind: 'refused', code, message };
}
