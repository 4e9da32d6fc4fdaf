/**
 * The slots of one process, shared by the pools that it serves: never more jobs at once than there are slots, whichever
 * pools they come from, and no pool waits for ever while another has work without end.
 *
 * A pool that has taken a job and finds no slot gives the job back and rests; the slots that come free next go to the
 * resting pools first, in the order in which they came to rest. Such a slot is kept for its pool for a moment, since the
 * job it gave back may have been taken by another process meanwhile.
 */

/** How long a free slot waits for the pool whose turn it is: some round trips. */
const KEPT_MS = 1_000;

export class SharedSlots {
  #free: number;
  /** By pool, in the order in which they came to rest, what wakes it. */
  readonly #resting = new Map<string, () => void>();
  /** By pool, the end of the time for which a slot is kept for it. */
  readonly #kept = new Map<string, NodeJS.Timeout>();

  /** @param slots a whole number from 1 */
  constructor(slots: number) {
    this.#free = slots;
  }

  /** Takes a slot for a pool; false when there is none for it. */
  take(pool: string): boolean {
    const kept = this.#kept.get(pool);
    if (kept !== undefined) {
      clearTimeout(kept);
      this.#kept.delete(pool);
      return true;
    }
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Gives a slot of `take` back. */
  release(): void {
    const next = this.#resting.entries().next().value;
    if (next === undefined) {
      this.#free++;
      return;
    }
    const [pool, wake] = next;
    this.#resting.delete(pool);
    // Kept twice it would be lost: the one slot that a pool is kept is enough to wake it.
    if (this.#kept.has(pool)) this.#free++;
    else this.#keep(pool);
    wake();
  }

  /** The pool found no slot: it is woken when one is kept for it. */
  rest(pool: string, wake: () => void): void {
    this.#resting.set(pool, wake);
  }

  isResting(pool: string): boolean {
    return this.#resting.has(pool);
  }

  /** Nobody is woken any more, and no timer is left. */
  close(): void {
    this.#resting.clear();
    for (const timer of this.#kept.values()) clearTimeout(timer);
    this.#kept.clear();
  }

  #keep(pool: string): void {
    const timer = setTimeout(() => {
      this.#kept.delete(pool);
      this.release();
    }, KEPT_MS);
    this.#kept.set(pool, timer);
  }
}
