/** The keys of a worker's home as it last saw them: whose teams it serves, looked at anew with each of its looks. */

import type { WorkerSays } from '../../dispatch/presence.js';
import type { House, RedisPlace } from '../house.js';
import { type KeyRing, readKeyRing } from '../key-ring.js';

export class WorkerKeys {
  readonly #house: Pick<House, 'home' | 'clock'>;
  readonly #demand: RedisPlace['signed'];
  #ring: KeyRing;

  /** Rejects as the disk does. */
  static async open(house: Pick<House, 'home' | 'clock'>, demand: RedisPlace['signed']): Promise<WorkerKeys> {
    return new WorkerKeys(house, demand, await readKeyRing(house));
  }

  private constructor(house: Pick<House, 'home' | 'clock'>, demand: RedisPlace['signed'], ring: KeyRing) {
    this.#house = house;
    this.#demand = demand;
    this.#ring = ring;
  }

  get ring(): KeyRing {
    return this.#ring;
  }

  /** Reads them again. @returns whether another signature counts now than before */
  async look(): Promise<boolean> {
    const before = JSON.stringify(this.#ring);
    this.#ring = await readKeyRing(this.#house);
    return JSON.stringify(this.#ring) !== before;
  }

  /** What the worker says of itself. */
  says(): Pick<WorkerSays, 'operators' | 'signed'> {
    const { known } = this.#ring;
    const operators = known.filter(({ role, retired }) => role === 'operator' && !retired);
    return { operators: operators.map(({ id }) => id), signed: this.#demand };
  }
}
