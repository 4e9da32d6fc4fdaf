/** Who opens something registers its release here; releases run last-in first-out, all of them (style 20). */

import { errorText, FatalError } from './errors.js';

export type Release = () => void | Promise<void>;

/**
 * A stack of releases with one owner. `run` may be called again at any time: during a run it gives that run, so
 * that nobody goes on before everything is released, and afterwards it releases what was added since. A release must not wait for `run` itself.
 */
export class Releases {
  readonly #stack: { what: string; release: Release }[] = [];
  #ongoing: Promise<void> | undefined;

  /** @param what names it in the error, should its release fail */
  add(what: string, release: Release): void {
    this.#stack.push({ what, release });
  }

  /** Runs every release, newest first; rejects with one `FatalError` that names all that failed. */
  run(): Promise<void> {
    this.#ongoing ??= this.#runAll().finally(() => {
      this.#ongoing = undefined;
    });
    return this.#ongoing;
  }

  async #runAll(): Promise<void> {
    const failures: { what: string; error: unknown }[] = [];
    for (let entry = this.#stack.pop(); entry !== undefined; entry = this.#stack.pop()) {
      try {
        await entry.release();
      } catch (error) {
        failures.push({ what: entry.what, error });
      }
    }
    if (failures.length === 0) return;
    const text = failures.map(({ what, error }) => `${what}: ${errorText(error)}`).join('; ');
    const cause = new AggregateError(failures.map(({ error }) => error));
    throw new FatalError('release-failed', text, { cause });
  }
}
