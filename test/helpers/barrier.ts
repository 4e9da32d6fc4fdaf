/**
 * A meeting point: everyone who arrives waits until as many have arrived as were announced, then all go on.
 * With two parties, one of them the test, it holds a piece of work at an exact place without any sleeping.
 */

export interface Barrier {
  /** Resolves when the last party has arrived; rejects with the signal's reason when that fires first. */
  arrive(signal?: AbortSignal): Promise<void>;
  /** How many are waiting now. */
  waiting(): number;
}

/** A barrier for `parties` arrivals; it may be used again once all have gone on. */
export function barrier(parties: number): Barrier {
  let waiting = new Set<() => void>();
  return {
    waiting: () => waiting.size,
    arrive: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const leave = (): void => {
          waiting.delete(go);
          reject(signal?.reason);
        };
        const go = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        waiting.add(go);
        if (waiting.size < parties) {
          signal?.addEventListener('abort', leave, { once: true });
          return;
        }
        const all = waiting;
        waiting = new Set();
        for (const release of all) release();
      }),
  };
}
