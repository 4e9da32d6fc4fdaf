/** Which of several files with one name is used: the one in the later place; inside a place the first by path. */

/** A file that competes for a key. */
export interface Contender {
  readonly key: string;
  /** The index of its place in the list of places, which is in ascending precedence. */
  readonly rank: number;
  readonly path: string;
}

/** The winner of each key. */
export function winnersOf<T extends Contender>(contenders: readonly T[]): ReadonlyMap<string, T> {
  const winners = new Map<string, T>();
  for (const contender of contenders) {
    const holder = winners.get(contender.key);
    if (holder === undefined || beats(contender, holder)) winners.set(contender.key, contender);
  }
  return winners;
}

function beats(one: Contender, other: Contender): boolean {
  return one.rank === other.rank ? one.path < other.path : one.rank > other.rank;
}
