/**
 * The texts of entries that stand in inputs, as the record of a team keeps them: reference blocks, and what rides with
 * tasks. A team that is taken up again tells them as they were when it started, whatever became of the files.
 */

import type { Seat } from '../events/facts/frozen.js';
import type { Blobs } from '../events/record.js';
import { FatalError } from '../shared/errors.js';
import type { Task } from '../team/show/view.js';

/**
 * Reads all of them, by SHA-256.
 * @param broken those that cannot be used: empty here, since whoever would be told one stops before anything is asked
 */
export async function storedInputTexts(
  blobs: Pick<Blobs, 'get'>,
  seats: readonly Seat[],
  tasks: Iterable<Task>,
  broken: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Set<string>();
  for (const { reference } of seats) if (reference !== null) digests.add(reference.sha256);
  for (const { spec } of tasks) for (const { sha256 } of spec.skills) digests.add(sha256);
  const texts = new Map<string, string>();
  for (const digest of digests) {
    const text = broken.has(digest) ? '' : await blobs.get(digest);
    if (text === undefined) throw new FatalError('text-missing', `the text ${digest} is not in the record`);
    texts.set(digest, text);
  }
  return texts;
}
