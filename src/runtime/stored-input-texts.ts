/**
 * The texts of entries that stand in inputs, as the record of a team keeps them: reference blocks, and what rides with
 * tasks. A team that is taken up again tells them as they were when it started, whatever became of the files.
 */

import type { Seat } from '../events/facts/frozen.js';
import type { Blobs } from '../events/record.js';
import { errorText } from '../shared/errors.js';
import type { Task } from '../team/view.js';

export type StoredInputTexts =
  /** By SHA-256. */
  | { readonly kind: 'stored'; readonly value: ReadonlyMap<string, string> }
  | { readonly kind: 'lost'; readonly code: 'text-missing' | 'text-broken'; readonly message: string };

/** Reads all of them; a text that is not whole is never used. */
export async function storedInputTexts(
  blobs: Pick<Blobs, 'get'>,
  seats: readonly Seat[],
  tasks: Iterable<Task>,
): Promise<StoredInputTexts> {
  const names = new Map<string, string>();
  for (const { member, reference } of seats)
    if (reference !== null) names.set(reference.sha256, `the reference text of ${member}`);
  for (const { id, spec } of tasks)
    for (const { sha256 } of spec.skills) names.set(sha256, `the text of rules and skills of task ${id}`);
  const texts = new Map<string, string>();
  for (const [digest, name] of names) {
    try {
      const text = await blobs.get(digest);
      if (text === undefined)
        return { kind: 'lost', code: 'text-missing', message: `${name} is not in the record` };
      texts.set(digest, text);
    } catch (error) {
      return { kind: 'lost', code: 'text-broken', message: `${name}: ${errorText(error)}` };
    }
  }
  return { kind: 'stored', value: texts };
}
