/** The team time of a team that a process runs, as whoever looks at it sees it. */

import type { Walls } from '../state/walls.js';
import type { TeamState } from '../team/show/view.js';

/**
 * What has passed since the newest entry is added to its time. Wall clocks may jump, so nothing is decided by it. The
 * process itself says the same of its state as its record does.
 * @param wallMs of whoever looks, milliseconds
 * @returns milliseconds of team time
 */
export function seenAt({ at }: TeamState, walls: Walls | undefined, wallMs: number): number {
  return walls === undefined ? at : at + Math.max(0, wallMs - Date.parse(walls.newest));
}
