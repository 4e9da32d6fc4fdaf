/**
 * Which models share a gate: those of one provider and key (spec/team.md §9). One `Gates` per process, for every team
 * that it runs. The key itself never leaves this file: a gate is named by a digest that nobody prints.
 */

import { sha256 } from '../shared/digest.js';
import type { Model } from './model.js';
import { Pacer } from './pacing.js';
import { type ProviderDoor, secretsOf } from './providers/door.js';

/** The gates of a process, made when first asked for. */
export class Gates {
  readonly #pacers = new Map<string, Pacer>();
  readonly #random: () => number;

  /** @param random from 0 to less than 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The gate that a model stands behind; one that names none has its own. */
  of(model: Pick<Model, 'id' | 'gate'>): Pacer {
    const name = model.gate ?? model.id;
    const known = this.#pacers.get(name);
    if (known !== undefined) return known;
    const pacer = new Pacer(this.#random);
    this.#pacers.set(name, pacer);
    return pacer;
  }
}

/** The name of the gate before a provider's door: equal for equal address, region and credential. */
export function gateOf(provider: string, door: ProviderDoor): string {
  const { baseUrl, region, credential } = door;
  return sha256(JSON.stringify([provider, baseUrl, region, credential.kind, ...secretsOf(credential)]));
}
