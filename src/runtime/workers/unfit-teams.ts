/** Teams that a worker has found that it cannot serve, each with why: for a while it does not look again. */

import type { Clock } from '../../shared/clock.js';

/** How long a team that cannot be served here is not looked at again, in milliseconds. */
const UNFIT_MS = 60_000;

export class UnfitTeams {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #teams = new Map<string, { readonly why: string; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** How many there may be. */
  get size(): number {
    return this.#teams.size;
  }

  /** Why a team cannot be served; undefined: that is to be found out. */
  why(id: string): string | undefined {
    const known = this.#teams.get(id);
    if (known === undefined || this.#clock.monotonicMs() - known.at < UNFIT_MS) return known?.why;
    this.#teams.delete(id);
    return undefined;
  }

  keep(id: string, why: string): void {
    this.#teams.set(id, { why, at: this.#clock.monotonicMs() });
  }

  forget(id: string): void {
    this.#teams.delete(id);
  }

  /** What this process may serve is another: each team is looked at again. */
  clear(): void {
    this.#teams.clear();
  }
}
