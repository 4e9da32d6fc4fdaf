/** What a look at Redis adds to the record of a team: who has its turns, and what nobody takes (spec/engine.md §2, §3). */

import { type LeaseHouse, turnIsHeld } from '../../dispatch/leases.js';
import { liveWorkers } from '../../dispatch/presence.js';
import type { ProcessesSeen } from '../../team/show/status-processes.js';
import type { TeamState } from '../../team/show/view.js';
import { unservedTurns } from './unserved.js';

/** Looks. @param now team time in milliseconds */
export async function processesSeen(
  house: Pick<LeaseHouse, 'client' | 'names'>,
  team: string,
  state: TeamState,
  now: number,
): Promise<ProcessesSeen> {
  const turns = [...state.members.values()].flatMap(({ life }) =>
    life.kind === 'working' ? [life.turn] : [],
  );
  const held = await Promise.all(turns.map((turn) => turnIsHeld(house, team, turn)));
  return {
    held: new Set(turns.filter((_, place) => held[place])),
    unserved: unservedTurns(state, now, await liveWorkers(house)),
  };
}
