/**
 * The lease of coordinating a run, taken anew when it has lapsed and nobody else has it: a server that was away for longer
 * than a lease ends no run. Between the two this process may say what another says as well, which the record decides.
 */

import { atMost } from '../../dispatch/by-deadline.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import { giveBack, takeRun } from '../../dispatch/leases.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import type { RedisLink } from './redis-link.js';

/** How long giving it back may take, in milliseconds: it expires by itself. */
const GIVE_BACK_MS = 500;

export class KeptRun {
  readonly #link: RedisLink;
  readonly #team: string;
  readonly #lost = new AbortController();
  readonly #closing = new AbortController();
  #lease: Lease;

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

  /** Gives it back, where the server listens. */
  async close(): Promise<void> {
    this.#closing.abort(new CancelledError('closed', 'the run is coordinated here no more'));
    await atMost(GIVE_BACK_MS, giveBack(this.#link, this.#lease));
  }

  #watch(): void {
    this.#lease.signal.addEventListener('abort', () => void this.#takeAgain(), { once: true });
  }

  /** Never rejects. */
  async #takeAgain(): Promise<void> {
    const { holder, place } = this.#link;
    while (!this.#closing.signal.aborted) {
      // Undefined: the server does not answer.
      const taken = await takeRun(this.#link, this.#team).catch(() => undefined);
      if (taken?.kind === 'taken') {
        this.#lease = taken.lease;
        if (this.#closing.signal.aborted) await this.close();
        else this.#watch();
        return;
      }
      // Its own old key may stand until it expires.
      if (taken?.by !== undefined && taken.by.id !== holder.id) {
        this.#lost.abort(new CancelledError('taken-over', 'another process coordinates the run'));
        return;
      }
      await sleep(place.timing.beatMs, this.#closing.signal).catch(() => {}); // Closed: the loop ends.
    }
  }
}
