/**
 * Ends the process that holds a team and does not let go (spec/team.md §7 `stop --force`, case B26).
 *
 * Only a process that the lock names and the process table confirms, by number and start, is killed; one that cannot be
 * looked at from here never is. What it had started is ended by whoever opens the team next.
 */

import { inspectLock, type LockHolder } from '../events/lock.js';
import { deadlineAfter, sleep } from '../shared/abort.js';
import { systemCode } from '../shared/errors.js';
import { processIdentity } from '../shared/process-identity.js';

/** How long the kernel may take to end a killed process, in milliseconds; one that is stuck in it is reported. */
const KILL_MS = 5_000;

/** How often the lock is looked at, in milliseconds. */
const LOOK_MS = 50;

/** Waits until nobody alive holds the team, at most so long. @returns who holds it still, if somebody does */
export async function letGo(folder: string, withinMs: number): Promise<LockHolder | undefined> {
  return watch(folder, withinMs, () => {});
}

/** Kills the holder and waits for its end. @returns who holds the team still, if somebody does */
export async function endHolder(folder: string): Promise<LockHolder | undefined> {
  let first: LockHolder | undefined;
  return watch(folder, KILL_MS, (holder) => {
    first ??= holder;
    // Another that has taken the team up meanwhile was not meant.
    if (holder.pid === undefined || holder.pid !== first.pid || holder.since !== first.since) return;
    try {
      process.kill(holder.pid, 'SIGKILL');
    } catch (error) {
      // It has ended, or is another user's: then it still holds the team, and is named.
      if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
    }
  });
}

async function watch(
  folder: string,
  withinMs: number,
  alive: (holder: LockHolder) => void,
): Promise<LockHolder | undefined> {
  const identity = await processIdentity();
  const deadline = deadlineAfter(withinMs);
  for (;;) {
    const lock = await inspectLock(folder, { identity });
    if (lock.kind === 'free' || lock.verdict === 'dead') return undefined;
    if (lock.verdict === 'unknown' || deadline.aborted) return lock.holder;
    alive(lock.holder);
    await sleep(LOOK_MS, deadline).catch(() => undefined); // Time is up: the next look says how it is.
  }
}
