/** The lease of a turn as the turn sees it: a signal that fires when it is lost, and an end. */

import { giveBack, takeTurn } from '../../dispatch/leases.js';
import { CancelledError } from '../../shared/errors.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { TurnLease } from '../turns/turn-house.js';

/** Takes the lease of a turn that this process has begun. Rejects with `CancelledError` when somebody has it already. */
export async function leaseTurn(link: RedisLink, team: string, turn: number): Promise<TurnLease> {
  const taken = await takeTurn(link, team, turn);
  if (taken.kind === 'held') {
    throw new CancelledError('lease-lost', `turn ${turn} of ${team} is another process's`);
  }
  const { lease } = taken;
  return { signal: lease.signal, end: () => giveBack(link, lease) };
}
