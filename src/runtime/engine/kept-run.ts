/**
 * The lease of coordinating a run, taken anew when it has lapsed and nobody else has it: a server that was away for longer
 * than a lease ends no run. Between the two this process may say what another says as well, which the record decides.
 *
 * Whoever puts a team away has this lease while the log is deleted. So a log that is missing while this process has had it
 * without a gap was lost, and may be put back; one that is missing when it ran out meanwhile may have been put away, and no
 * key of it is made anew.
 */

import { atMost } from '../../dispatch/by-deadline.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import { giveBackRun, isClearing, takeRun, takeRunOfLog } from '../../dispatch/leases.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import type { RedisLink } from './redis-link.js';

/** How long giving it back may take, in milliseconds: it expires by itself. */
const GIVE_BACK_MS = 500;
/** How long another may have it who does not run the team, and how often that is looked at, in milliseconds. */
const WAIT_MS = 5_000;
const LOOK_MS = 50;

export class KeptRun {
  readonly #link: RedisLink;
  readonly #team: string;
  readonly #lost = new AbortController();
  readonly #closing = new AbortController();
  #lease: Lease;
  /** The first try to take it again, while it is not held: whether that has found the log gone with it. */
  #foundGone: Promise<boolean> | undefined;

  /** @param lease taken just now */
  constructor(link: RedisLink, team: string, lease: Lease) {
    this.#link = link;
    this.#team = team;
    this.#lease = lease;
    this.#watch();
  }

  /** Fires when another process coordinates the run. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Of a team whose log is missing: takes the lease anew where the server has lost that as well.
   * @returns whether the log was lost and nobody else sees to it; false: the team may have been put away
   */
  async takeOfLost(): Promise<boolean> {
    if (!this.#lease.isHeld() && (this.#lease.ranOut() || !(await this.#foundGone))) return false;
    const { clock, holder, client, names } = this.#link;
    const until = clock.monotonicMs() + WAIT_MS;
    for (;;) {
      const taken = await takeRun(this.#link, this.#team);
      if (taken.kind === 'taken') {
        this.#lease.drop();
        this.#lease = taken.lease;
        this.#watch();
        return true;
      }
      if (taken.by?.id === holder.id) return true;
      // A worker has it for a moment that clears away what is left of a team without a log.
      if (clock.monotonicMs() > until || (await client.exists(names.log(this.#team))) === 1) return false;
      await sleep(LOOK_MS, this.#closing.signal);
    }
  }

  /** Gives it back, where the server listens. */
  async close(): Promise<void> {
    this.#closing.abort(new CancelledError('closed', 'the run is coordinated here no more'));
    await atMost(GIVE_BACK_MS, giveBackRun(this.#link, this.#team, this.#lease));
  }

  #watch(): void {
    this.#foundGone = undefined;
    this.#lease.signal.addEventListener('abort', () => void this.#takeAgain(), { once: true });
  }

  /** Never rejects. */
  async #takeAgain(): Promise<void> {
    const { holder, place } = this.#link;
    while (!this.#closing.signal.aborted) {
      // Undefined: the server does not answer.
      const asked = takeRunOfLog(this.#link, this.#team).catch(() => undefined);
      this.#foundGone ??= asked.then((answer) => answer?.kind === 'gone');
      const taken = await asked;
      if (taken?.kind === 'taken') {
        this.#lease = taken.lease;
        if (this.#closing.signal.aborted) await this.close();
        else this.#watch();
        return;
      }
      // Its own old key may stand until it expires.
      const by = taken?.kind === 'held' ? taken.by : undefined;
      if (by !== undefined && by.id !== holder.id && !isClearing(by)) {
        this.#lost.abort(new CancelledError('taken-over', 'another process coordinates the run'));
        return;
      }
      // Whoever writes the record finds that the log is gone.
      await sleep(place.timing.beatMs, this.#closing.signal).catch(() => {}); // Closed: the loop ends.
    }
  }
}
