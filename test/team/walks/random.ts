/** Random choices that a seed repeats exactly. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number {
    // mulberry32: small, fast, and good enough to choose moves with.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** One of the list, or undefined when it is empty. */
  pick<Item>(list: Iterable<Item>): Item | undefined {
    const items = [...list];
    return items.length === 0 ? undefined : items[this.below(items.length)];
  }

  /** One of a list that has at least one item. */
  of<Item>(first: Item, ...others: readonly Item[]): Item {
    return [first, ...others][this.below(others.length + 1)] ?? first;
  }

  /** Some of the list, in its order. */
  some<Item>(list: Iterable<Item>, percent: number): Item[] {
    return [...list].filter(() => this.chance(percent));
  }

  /** The list in another order. */
  shuffled<Item>(list: readonly Item[]): Item[] {
    const rest = [...list];
    return list.flatMap(() => rest.splice(this.below(rest.length), 1));
  }
}
