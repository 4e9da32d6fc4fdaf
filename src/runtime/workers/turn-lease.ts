/** The lease of a turn as the turn sees it: a signal that fires when it is lost, and an end. */

import { atMost } from '../../dispatch/by-deadline.js';
import { giveBack, takeTurn } from '../../dispatch/leases.js';
import { cancelled } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { TurnLease } from '../turns/turn-house.js';

/** How long giving it back may take, in milliseconds: what is not given back expires by itself. */
const GIVE_BACK_MS = 1_000;

/**
 * Takes the lease of a turn that this process has begun. Rejects with `CancelledError` when somebody has it already.
 * @param onLost hears one line for people when it is lost; must not throw
 */
export async function leaseTurn(
  link: RedisLink,
  team: string,
  turn: number,
  onLost: (text: string) => void,
): Promise<TurnLease> {
  const taken = await takeTurn(link, team, turn);
  if (taken.kind === 'held') {
    throw new CancelledError('lease-lost', `turn ${turn} of ${team} is another process's`);
  }
  const { lease } = taken;
  const { signal } = lease;
  const lost = (): void => {
    if (cancelled(signal).code === 'closed') return; // Whoever ends a process says what it leaves behind.
    onLost(
      `${team}: turn ${turn} is another's from here on, since the lease of it is over: nothing of it is recorded here ` +
        'any more, and its tools are ended; what they have done until now stands',
    );
  };
  signal.addEventListener('abort', lost, { once: true });
  return { signal, end: () => atMost(GIVE_BACK_MS, giveBack(link, lease)) };
}
