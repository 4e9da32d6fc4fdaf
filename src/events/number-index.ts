/** Finds an entry by the number of its first fact, in a list that is sorted by it. */

/** Place of the first item whose number is `from` or later; the length of the list when there is none. */
export function placeOfNumber<Item>(
  items: readonly Item[],
  numberOf: (item: Item) => number,
  from: number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && numberOf(item) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
