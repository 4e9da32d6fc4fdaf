/** The ends of turns, as they are durable. */
export class TurnEnds {
  #left = 0;
  #resolve = () => {};

  /** Resolves when so many more have come. */
  next(count) {
    this.#left = count;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  hear({ facts }) {
    for (const { type } of facts) if (type === 'turn.ended' && --this.#left === 0) this.#resolve();
  }
}
