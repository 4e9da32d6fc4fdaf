/**
 * Keeps the leases of one process: one timer, one round trip a beat for all of them.
 *
 *  L1 a lease is held from a moment that is older than what the server took for it: each beat counts from when it was
 *     sent, so this process never believes in it for longer than the server does;
 *  L2 without a confirmed beat for (lease − grace) on this machine's monotonic clock it counts as lost, whether or not
 *     the server could be asked, and its signal fires: grace is what is left for ending what the lease allowed;
 *  L3 a lease that is lost never comes back: whoever wants it takes it anew, under the rules for taking;
 *  L4 each beat moves the expiry (case C55), by `PEXPIRE`, which a server that is out of memory takes as well.
 */

import type { ChainableCommander, Redis } from 'ioredis';
import { cancelled, orAborted, sleep } from '../shared/abort.js';
import type { Clock } from '../shared/clock.js';
import { BugError, CancelledError } from '../shared/errors.js';

/** In milliseconds (spec/engine.md §2 "Fences"). */
export interface LeaseTiming {
  /** How long a key stays without a beat. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long before its end on the server a lease counts as lost here. */
  readonly graceMs: number;
}

export const LEASE_TIMING: LeaseTiming = { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 };

/** What is kept: how a beat asks for it, and what the answers say. */
export interface Kept {
  readonly key: string;
  /** A right lapses in time (L2); a mere sign that somebody is there is put up again when the server is back. */
  readonly lapses: 'in time' | 'never';
  /** Adds its commands for one beat. */
  ask(pipeline: ChainableCommander, leaseMs: number): void;
  /** How many commands `ask` adds. */
  readonly asks: number;
  /** `held` the expiry was moved · `lost` it is gone or somebody else's. Undefined: this answer says neither. */
  hear(answers: readonly unknown[]): 'held' | 'lost' | undefined;
}

export interface Lease {
  readonly key: string;
  /** Fires with `CancelledError` `lease-lost` when it is lost, and never when it was given back. */
  readonly signal: AbortSignal;
  /**
   * Whether nothing confirmed it in time: then nobody knows what became of its key. One that is lost otherwise was held until
   * the server said that it is gone.
   */
  ranOut(): boolean;
  /** Whether it is held now, by the clock and not by the timer: true also while the server is away and time is left. */
  isHeld(): boolean;
  /**
   * Resolves when the server has confirmed it after this call. While it cannot be asked this waits: what takes effect
   * outside does not begin on an old word (case C71). Rejects with `CancelledError` when it is lost or the signal fires.
   */
  prove(signal: AbortSignal): Promise<void>;
  /** It is kept no longer. Its key is the caller's to remove. */
  drop(): void;
}

export interface LeaseKeeperOptions {
  /** Fails at once while the server is away: a beat that is sent later is no beat. Its owner closes it. */
  readonly client: Redis;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timing?: Partial<LeaseTiming>;
  /** Hears of a beat that was not answered. Must not throw. */
  readonly onTrouble: (error: unknown) => void;
}

/** How long `prove` waits before it asks a server again that did not answer. */
const ASK_AGAIN_MS = 250;

export class LeaseKeeper {
  readonly timing: LeaseTiming;
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Set<HeldLease>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #plannedAt = Number.POSITIVE_INFINITY;
  /** The beat on its way, and the one after it when somebody has asked for that. */
  #beating: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #nextBeatAt = 0;
  #closed = false;

  /** Refuses times that leave no room for a missed beat. */
  constructor(options: LeaseKeeperOptions) {
    const timing = { ...LEASE_TIMING, ...options.timing };
    const { leaseMs, beatMs, graceMs } = timing;
    if (!(beatMs > 0 && graceMs >= 0 && leaseMs - graceMs > beatMs)) {
      const text = `lease ${leaseMs}, beat ${beatMs}, grace ${graceMs}: a beat must fit between lease and grace`;
      throw new BugError('bad-lease', text);
    }
    this.timing = timing;
    this.#options = options;
  }

  /**
   * Keeps what was just taken.
   * @param takenAtMs when the taking was sent, on the monotonic clock
   */
  keep(kept: Kept, takenAtMs: number): Lease {
    if (this.#closed) throw new BugError('closed', 'a keeper that was closed keeps nothing');
    const lease = new HeldLease(kept, takenAtMs, this.timing, {
      now: () => this.#options.clock.monotonicMs(),
      beat: () => this.#beat(),
      dropped: (one) => this.#held.delete(one),
    });
    this.#held.add(lease);
    // Before what comes next for those that are held already nothing comes for it: most turns are over by then.
    if (this.#timer === undefined || lease.endsAt() < this.#plannedAt) this.#plan();
    return lease;
  }

  /** Beats no more, and waits for no answer. What is still held counts as lost, with the code `closed`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const lease of this.#held) lease.lose('this process ends', 'closed');
    this.#held.clear();
  }

  /** The next moment that matters: a beat, or the end of what nothing has confirmed. */
  #plan(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed || this.#held.size === 0) return;
    const now = this.#options.clock.monotonicMs();
    if (this.#nextBeatAt <= now) this.#nextBeatAt = now + this.timing.beatMs;
    this.#plannedAt = this.#nextBeatAt;
    for (const lease of this.#held) this.#plannedAt = Math.min(this.#plannedAt, lease.endsAt());
    this.#timer = setTimeout(() => this.#due(), Math.max(1, this.#plannedAt - now));
  }

  #due(): void {
    const now = this.#options.clock.monotonicMs();
    // First: after a blocked event loop a beat would only ask for what has run out.
    for (const lease of this.#held) lease.loseIfOver();
    if (now >= this.#nextBeatAt) {
      this.#nextBeatAt = now + this.timing.beatMs;
      void this.#beat();
    }
    this.#plan();
  }

  /** One at a time: a beat that is asked for while one is on its way is the next, for everyone who asks meanwhile. */
  #beat(): Promise<void> {
    if (this.#beating !== undefined) {
      this.#next ??= this.#beating.then(() => {
        this.#next = undefined;
        return this.#beat();
      });
      return this.#next;
    }
    this.#beating = this.#beatNow().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** Never rejects. */
  async #beatNow(): Promise<void> {
    if (this.#closed || this.#held.size === 0) return;
    const { client, clock, onTrouble } = this.#options;
    const leases = [...this.#held];
    const sentAt = clock.monotonicMs();
    const pipeline = client.pipeline();
    for (const lease of leases) lease.kept.ask(pipeline, this.timing.leaseMs);
    try {
      const answers = (await pipeline.exec()) ?? [];
      let from = 0;
      for (const lease of leases) {
        const own = answers.slice(from, from + lease.kept.asks);
        from += lease.kept.asks;
        const failed = own.find(([error]) => error !== null)?.[0];
        if (failed === undefined || failed === null)
          lease.hear(
            own.map(([, answer]) => answer),
            sentAt,
          );
        else onTrouble(failed);
      }
    } catch (error) {
      onTrouble(error); // The clock decides.
    }
    this.#plan();
  }
}

interface Keeper {
  now(): number;
  /** Never rejects. */
  beat(): Promise<void>;
  dropped(lease: HeldLease): void;
}

class HeldLease implements Lease {
  readonly kept: Kept;
  readonly #timing: LeaseTiming;
  readonly #keeper: Keeper;
  readonly #control = new AbortController();
  /** When the newest beat that was confirmed had been sent. */
  #confirmedAt: number;
  #ranOut = false;

  constructor(kept: Kept, takenAtMs: number, timing: LeaseTiming, keeper: Keeper) {
    this.kept = kept;
    this.#confirmedAt = takenAtMs;
    this.#timing = timing;
    this.#keeper = keeper;
  }

  get key(): string {
    return this.kept.key;
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  ranOut(): boolean {
    this.loseIfOver();
    return this.#ranOut;
  }

  isHeld(): boolean {
    this.loseIfOver();
    return !this.signal.aborted;
  }

  async prove(signal: AbortSignal): Promise<void> {
    const asked = this.#keeper.now();
    const either = AbortSignal.any([signal, this.signal]);
    for (;;) {
      if (!this.isHeld()) throw cancelled(this.signal);
      if (either.aborted) throw cancelled(either);
      if (this.#confirmedAt >= asked) return;
      // An answer may be long in coming, and the lease over before it.
      await orAborted(this.#keeper.beat(), either);
      if (this.#confirmedAt < asked && this.isHeld()) await sleep(ASK_AGAIN_MS, either);
    }
  }

  drop(): void {
    this.#keeper.dropped(this);
  }

  endsAt(): number {
    if (this.kept.lapses === 'never') return Number.POSITIVE_INFINITY;
    return this.#confirmedAt + this.#timing.leaseMs - this.#timing.graceMs;
  }

  hear(answers: readonly unknown[], sentAt: number): void {
    const heard = this.kept.hear(answers);
    if (heard === 'lost') this.lose('its key is gone');
    // Late news of a lease that is over already does not bring it back.
    if (heard === 'held' && this.isHeld()) this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  loseIfOver(): void {
    if (this.signal.aborted || this.#keeper.now() < this.endsAt()) return;
    this.#ranOut = true;
    this.lose('no beat was confirmed in time');
  }

  lose(why: string, code: 'lease-lost' | 'closed' = 'lease-lost'): void {
    this.drop();
    this.#control.abort(new CancelledError(code, `the lease ${this.key} is lost: ${why}`));
  }
}
