/**
 * The gate before one provider and key: who may ask now, and who has to leave it alone for how long (spec/team.md
 * §9). Whoever is refused with 429 closes it for everybody. Pure but for what it remembers: time and randomness come
 * in, nothing is waited for here; whoever is told to wait comes again.
 *
 *  P1 nobody passes before the time that the provider has named, or a backoff that grows where it named none;
 *  P2 those who wait pass in the order they came; one who passed and was refused again has come anew, so a request
 *     that is refused for ever keeps nobody else out;
 *  P3 behind a time that is over they pass one by one, each gap half the one before: the first finds out whether the
 *     provider answers again. A refusal that closes it for longer moves all who still wait;
 *  P4 an answer halves the gap for those who come later, until nothing is left of it;
 *  P5 calls that were under way together count as one refusal, however many of them are refused;
 *  P6 who waits and never comes again holds nobody up: places are times, not turns.
 */

/** Whether somebody may ask now. */
export type Passage =
  | { readonly kind: 'open' }
  /** `said` is the provider's last word to anybody of this gate. */
  | { readonly kind: 'closed'; readonly waitMs: number; readonly said: string };

const FIRST_BACKOFF_MS = 1_000;
/** Windows of rate limits are minutes at most; a provider that wants more says so. */
const LONGEST_BACKOFF_MS = 60_000;
/** A server that is down comes back at some moment, and a member that waits past it waits for nothing. */
const LONGEST_OUTAGE_WAIT_MS = 30_000;
/** Of a backoff of ours: several processes may have met the same refusal at the same time. */
const JITTER = 1 / 4;
/** How often in a row the provider's word alone counts; one that goes on refusing is asked more and more seldom. */
const TAKEN_AT_ITS_WORD = 3;
/** A day: what is longer is a slip of the far side, and no run lasts so long. */
const LONGEST_TOLD_MS = 86_400_000;
/** Long enough that the first one's refusal is back before the next one asks; small beside a short wait. */
const FIRST_GAP_MS = 1_000;
const GAP_OF_WAIT = 1 / 4;
const LONGEST_GAP_MS = 8_000;
const SHORTEST_GAP_MS = 25;
/** Whoever does not come this long after its time has gone for good, or has to queue again. */
const GONE_MS = 60_000;

interface Place {
  readonly who: string;
  /** Not before this time. */
  readonly at: number;
}

/** A place of an earlier process, with what the provider had said. */
export interface Wait extends Place {
  readonly said: string;
}

/** One gate. Times are milliseconds of one clock that never goes back. */
export class Pacer {
  readonly #random: () => number;
  /** Those who wait, in order; their times rise. */
  #queue: Place[] = [];
  /** Those who ask now, with the time at which they passed. */
  readonly #asking = new Map<string, number>();
  #opensAt = Number.NEGATIVE_INFINITY;
  #closedAt = Number.NEGATIVE_INFINITY;
  /** Refusals since the last answer. */
  #refusals = 0;
  /** Between two who pass; 0 while the provider is well. */
  #gap = 0;
  /** The last time that was given to anybody, and the gap behind it. */
  #last = { at: Number.NEGATIVE_INFINITY, gap: 0 };
  #said = '';

  /** @param random from 0 to less than 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Somebody wants to ask. Who is told to wait keeps a place, and comes again when its time is there. */
  enter(who: string, now: number): Passage {
    const place = this.#queue.find((place) => place.who === who);
    const at = Math.max(this.#opensAt, place?.at ?? this.#timeFor(who, now));
    if (at > now) return { kind: 'closed', waitMs: at - now, said: this.#said };
    this.#leave(who);
    this.#asking.set(who, now);
    return { kind: 'open' };
  }

  /**
   * The provider has refused a call with 429: closes the gate.
   * @param toldMs what it asked for, null when it named no time
   * @returns how long the one who was refused has to wait, never less than it was told
   */
  refused(who: string, now: number, toldMs: number | null, said: string): number {
    const passed = this.#asking.get(who) ?? now;
    this.#leave(who);
    let waitMs = clamp(toldMs ?? 0, 0, LONGEST_TOLD_MS);
    const known = passed <= this.#closedAt && now < this.#opensAt;
    if (!known) {
      this.#refusals++;
      const times = this.#refusals - (waitMs > 0 ? TAKEN_AT_ITS_WORD : 0);
      waitMs = Math.max(waitMs, backoffMs(times, LONGEST_BACKOFF_MS, this.#random));
      const gap = clamp(waitMs * GAP_OF_WAIT, SHORTEST_GAP_MS, FIRST_GAP_MS);
      this.#gap = Math.min(LONGEST_GAP_MS, Math.max(this.#gap * 2, gap));
      this.#closedAt = now;
    }
    this.#said = said;
    if (now + waitMs <= this.#opensAt) return this.#append(who) - now;
    this.#queue.push({ who, at: now });
    this.#close(now, now + waitMs);
    return this.#last.at - now;
  }

  /** The provider has answered. */
  answered(who: string): void {
    const passed = this.#asking.get(who);
    this.#asking.delete(who);
    // An answer to what was asked before the last refusal says nothing of how the provider is now.
    if (passed === undefined || passed <= this.#closedAt) return;
    this.#refusals = 0;
    this.#gap = this.#gap <= SHORTEST_GAP_MS ? 0 : this.#gap / 2;
  }

  /**
   * The provider did not answer (5xx, a cut connection): a matter of the one who met it, since others may get through.
   * @param times how often in a row, from 1
   * @param toldMs what it asked for, null when it named no time
   * @returns how long that one waits
   */
  unanswered(who: string, times: number, toldMs: number | null): number {
    this.#leave(who);
    const told = clamp(toldMs ?? 0, 0, LONGEST_TOLD_MS);
    return Math.max(told, backoffMs(times, LONGEST_OUTAGE_WAIT_MS, this.#random));
  }

  /** Somebody asks no more, and waits no more: neither an answer nor a refusal came of it. */
  left(who: string): void {
    this.#leave(who);
  }

  /**
   * These wait since before this process: they keep their places, and the gate stays closed until the first of them.
   * @param waits at least one
   */
  remember(waits: readonly Wait[]): void {
    const first = Math.min(...waits.map(({ at }) => at));
    this.#opensAt = Math.max(this.#opensAt, first);
    const places = waits.map(({ who, at }) => ({ who, at }));
    this.#queue = [...this.#queue, ...places].sort((one, other) => one.at - other.at);
    this.#gap = Math.max(this.#gap, SHORTEST_GAP_MS);
    this.#last = { at: Math.max(this.#last.at, this.#queue.at(-1)?.at ?? first), gap: SHORTEST_GAP_MS };
    this.#said = waits[0]?.said ?? this.#said;
  }

  /** When somebody new may pass: now, or behind all who have a place. */
  #timeFor(who: string, now: number): number {
    const gap = Math.min(this.#gap, this.#last.gap);
    if (Math.max(this.#opensAt, this.#last.at + gap) > now) return this.#append(who);
    this.#last = { at: now, gap: this.#gap };
    return now;
  }

  /** Gives the next place; the others keep theirs. */
  #append(who: string): number {
    const gap = Math.min(this.#gap, this.#last.gap);
    const at = Math.max(this.#opensAt, this.#last.at + this.#spread(gap));
    this.#queue.push({ who, at });
    this.#last = { at, gap: Math.max(SHORTEST_GAP_MS, gap / 2) };
    return at;
  }

  /** Nobody passes before `until`; those who wait get new times behind it. */
  #close(now: number, until: number): void {
    this.#opensAt = Math.max(this.#opensAt, until);
    let at = this.#opensAt + (this.#gap / 2) * this.#random();
    let gap = this.#gap;
    this.#queue = this.#queue
      .filter((place) => place.at >= now - GONE_MS)
      .map(({ who }, index) => {
        if (index > 0) {
          at += this.#spread(gap);
          gap = Math.max(SHORTEST_GAP_MS, gap / 2);
        }
        return { who, at };
      });
    this.#last = { at, gap };
  }

  #leave(who: string): void {
    this.#asking.delete(who);
    this.#queue = this.#queue.filter((place) => place.who !== who);
  }

  /** From three quarters to five quarters of a gap. */
  #spread(gap: number): number {
    return gap * (3 / 4 + this.#random() / 2);
  }
}

/** 1, 2, 4, … seconds up to a bound, each up to a quarter longer; nothing for what has not happened once. */
function backoffMs(times: number, longestMs: number, random: () => number): number {
  if (times < 1) return 0;
  return Math.min(longestMs, FIRST_BACKOFF_MS * 2 ** (times - 1)) * (1 + JITTER * random());
}

/** What is no number at all counts as the least. */
function clamp(value: number, least: number, most: number): number {
  return value >= least ? Math.min(value, most) : least;
}
