/** What every provider checks of calls and their results, in the words of none. */

import { refuse } from './wire.js';

/** Calls that have no result yet; ids are seen once. */
export class OpenCalls {
  readonly #open = new Map<string, string>();
  readonly #seen = new Set<string>();

  get size(): number {
    return this.#open.size;
  }

  call(id: string, tool: string): void {
    if (this.#seen.has(id)) refuse(`the call id "${id}" is used twice; ids must be unique`);
    this.#seen.add(id);
    this.#open.set(id, tool);
  }

  result(id: string): void {
    if (!this.#open.delete(id)) refuse(`a result for "${id}", which is no open call`);
  }

  /** Everything must be answered before `what`. */
  closed(what: string): void {
    if (this.#open.size > 0)
      refuse(`${what}: no result was found for the calls ${[...this.#open.keys()].join(', ')}`);
  }
}
