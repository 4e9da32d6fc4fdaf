/**
 * Which of several files with one name is used: among those that count, the one in the later place; inside a place
 * the first by path. A file that does not count hides nothing.
 */

import type { Standing } from './judge-file.js';

/** A file that competes for a key. */
export interface Contender {
  readonly key: string;
  /** The index of its place in the list of places, which is in ascending precedence. */
  readonly rank: number;
  readonly path: string;
  readonly standing: Standing;
}

/** A contender that may be loaded. */
export type Counting<T extends Contender> = T & { readonly standing: Extract<Standing, { kind: 'counts' }> };

/** The winner of each key that a counting file has. */
export function winnersOf<T extends Contender>(contenders: readonly T[]): ReadonlyMap<string, Counting<T>> {
  const winners = new Map<string, Counting<T>>();
  for (const contender of contenders) {
    if (!doesCount(contender)) continue;
    const holder = winners.get(contender.key);
    if (holder === undefined || beats(contender, holder)) winners.set(contender.key, contender);
  }
  return winners;
}

/** The order of listings: by key; of one key the file that is used, then the others from the strongest down. */
export function byKeyThenUse<T extends Contender>(
  winners: ReadonlyMap<string, T>,
): (one: T, other: T) => number {
  const used = (contender: T): number => (winners.get(contender.key)?.path === contender.path ? 0 : 1);
  return (one, other) => {
    if (one.key !== other.key) return one.key < other.key ? -1 : 1;
    return used(one) - used(other) || (beats(one, other) ? -1 : 1);
  };
}

function doesCount<T extends Contender>(contender: T): contender is Counting<T> {
  return contender.standing.kind === 'counts';
}

function beats(one: Contender, other: Contender): boolean {
  return one.rank === other.rank ? one.path < other.path : one.rank > other.rank;
}
