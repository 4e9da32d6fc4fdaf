/**
 * What a look at Redis adds to the record of a team: who has its turns, what nobody takes, and whether the server takes
 * anything (spec/engine.md §2, §3).
 */

import { type LeaseHouse, turnIsHeld } from '../../dispatch/leases.js';
import { liveWorkers } from '../../dispatch/presence.js';
import { isDenial } from '../../events/redis/redis-trouble.js';
import { errorText } from '../../shared/errors.js';
import type { AcceptedKey } from '../../shared/signature.js';
import type { ProcessesSeen } from '../../team/show/status-processes.js';
import type { TeamState } from '../../team/show/view.js';
import { waitingBriefs } from '../briefs/unserved-briefs.js';
import { readInfo } from '../doctor/redis-server.js';
import { unservedTurns } from './unserved.js';

/**
 * Looks.
 * @param now team time in milliseconds
 * @param runners keys of the runners whose word counts here
 */
export async function processesSeen(
  house: Pick<LeaseHouse, 'client' | 'names'>,
  team: string,
  state: TeamState,
  now: number,
  runners: () => Promise<readonly AcceptedKey[]>,
): Promise<ProcessesSeen> {
  const turns = [...state.members.values()].flatMap(({ life }) =>
    life.kind === 'working' ? [life.turn] : [],
  );
  const held = await Promise.all(turns.map((turn) => turnIsHeld(house, team, turn)));
  return {
    held: new Set(turns.filter((_, place) => held[place])),
    unserved: [
      ...unservedTurns(state, now, await liveWorkers(house)),
      ...(await waitingBriefs(house, team, state, runners)),
    ],
    full: await isFull(house.client),
  };
}

/** Whether the server refuses to write for want of memory; one that may not be asked that is taken for one that does not. */
async function isFull(client: LeaseHouse['client']): Promise<boolean> {
  try {
    const info = readInfo(await client.info('memory'));
    const [used, most] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
    return most > 0 && used >= most && info.get('maxmemory_policy') === 'noeviction';
  } catch (error) {
    if (isDenial(errorText(error))) return false;
    throw error;
  }
}
