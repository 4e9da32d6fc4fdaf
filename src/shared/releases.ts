/** Who opens something registers its release here; releases run last-in first-out, all of them (style 20). */

import { errorText, FatalError } from './errors.js';

export type Release = () => void | Promise<void>;

/** A stack of releases with one owner. `run` may be called twice: the second call has nothing to do. */
export class Releases {
  readonly #stack: { what: string; release: Release }[] = [];

  add(what: string, release: Release): void {
    this.#stack.push({ what, release });
  }

  /** Runs every release, newest first; throws one error that names all that failed. */
  async run(): Promise<void> {
    const failures: string[] = [];
    for (let entry = this.#stack.pop(); entry !== undefined; entry = this.#stack.pop()) {
      try {
        await entry.release();
      } catch (error) {
        failures.push(`${entry.what}: ${errorText(error)}`);
      }
    }
    if (failures.length > 0) throw new FatalError('release-failed', failures.join('; '));
  }
}
