/** Who runs a team, seen from this process: its lock looked at, never taken (spec/engine.md §1 "File log"). */

import { inspectLock, type LockState } from '../events/lock.js';
import { processIdentity } from '../shared/process-identity.js';

type Held = Extract<LockState, { kind: 'held' }> & { readonly verdict: 'alive' | 'unknown' };

/** The lock of the team in a folder; `free` where nobody ever took one. */
export async function lockOf(folder: string): Promise<LockState> {
  return inspectLock(folder, { identity: await processIdentity() });
}

/** Whether somebody has it, or may have: a holder that cannot be looked at from here is not dead. */
export function isHeld(lock: LockState): lock is Held {
  return lock.kind === 'held' && lock.verdict !== 'dead';
}
