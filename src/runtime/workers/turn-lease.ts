/** The lease of a turn as the turn sees it: a signal that fires when it is lost, and an end. */

import type { Lease } from '../../dispatch/lease-keeper.js';
import { giveBackTurn, takeTurn } from '../../dispatch/leases.js';
import { cancelled } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { TurnLease } from '../turns/turn-house.js';

/**
 * Takes the lease of a turn that this process has begun. `taken` rejects with `CancelledError` when somebody has it already,
 * and as the command does.
 * @param onLost hears one line for people when it is lost; must not throw
 */
export function leaseTurn(
  link: RedisLink,
  team: string,
  turn: number,
  onLost: (text: string) => void,
): TurnLease {
  const control = new AbortController();
  const lost = ({ signal }: Lease): void => {
    control.abort(signal.reason);
    if (cancelled(signal).code === 'closed') return; // Whoever ends a process says what it leaves behind.
    onLost(
      `${team}: turn ${turn} is another's from here on, since the lease of it is over: nothing of it is recorded here ` +
        'any more, and its tools are ended; what they have done until now stands',
    );
  };
  const taken = takeTurn(link, team, turn).then((answer) => {
    if (answer.kind === 'held')
      throw new CancelledError('lease-lost', `turn ${turn} of ${team} is another process's`);
    const { lease } = answer;
    lease.signal.addEventListener('abort', () => lost(lease), { once: true });
    return lease;
  });
  taken.catch((error: unknown) => control.abort(error)); // Whoever waits for it is told as well.
  return {
    signal: control.signal,
    taken,
    end: () => {
      // What is not given back expires by itself.
      taken.then((lease) => giveBackTurn(link, lease)).catch(() => undefined);
    },
  };
}
