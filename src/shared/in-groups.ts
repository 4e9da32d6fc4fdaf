/** The same work on many files, a few at a time. */

import { cancelled } from './abort.js';

/** Open files at a time: enough to keep the disk busy, far below any limit of the process. */
const GROUP = 32;

/** Works through the items; the results are in their order. Throws `CancelledError` between two groups when called off. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += GROUP) {
    if (signal?.aborted === true) throw cancelled(signal);
    results.push(...(await Promise.all(items.slice(start, start + GROUP).map(work))));
  }
  return results;
}
