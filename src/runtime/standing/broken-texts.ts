/**
 * Which texts of a record cannot be used (spec/skills.md §4 "Integrity"): those that are not there, whose bytes do not
 * give their digest, and stored entries that say no entry. A text is never used in part, and never guessed.
 */

import type { FactOf } from '../../events/event.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { Blobs } from '../../events/record.js';
import { FatalError } from '../../shared/errors.js';
import { readStoredText, storedName } from '../../skills/stored-text.js';
import type { Task } from '../../team/show/view.js';
import { seatTexts } from './member-texts.js';

/** Records of this version and later hold the text of every entry; before, they held prompts alone. */
const TEXTS_SINCE = 2;

/** Why texts of entries cannot be used, by SHA-256; the words follow "the stored text of skill k8s". */
export async function brokenTexts(
  blobs: Pick<Blobs, 'get'>,
  { seats, versions }: Pick<FactOf<'run.started'>, 'seats' | 'versions'>,
  tasks: Iterable<Pick<Task, 'spec'>>,
): Promise<ReadonlyMap<string, string>> {
  const entries = new Set<string>();
  const others = new Set<string>();
  const take = (loaded: Seat['entries']): void => {
    for (const { digest } of loaded) entries.add(storedName(digest));
  };
  for (const seat of seats) {
    take(seat.entries);
    for (const { sha256 } of seatTexts(seat)) if (!entries.has(sha256)) others.add(sha256);
  }
  for (const { spec } of tasks) {
    for (const rider of spec.skills) {
      take(rider.entries);
      others.add(rider.sha256);
    }
  }
  const broken = new Map<string, string>();
  for (const sha256 of [...(versions.record < TEXTS_SINCE ? [] : entries), ...others]) {
    const why = await whyBroken(blobs, sha256, entries.has(sha256));
    if (why !== undefined) broken.set(sha256, why);
  }
  return broken;
}

async function whyBroken(
  blobs: Pick<Blobs, 'get'>,
  sha256: string,
  isEntry: boolean,
): Promise<string | undefined> {
  try {
    const text = await blobs.get(sha256);
    if (text === undefined) return 'is not in the record any more';
    return isEntry && readStoredText(text) === undefined ? 'is no text of an entry' : undefined;
  } catch (error) {
    if (error instanceof FatalError && error.code === 'blob-broken') {
      return 'does not give its digest: it was changed or damaged';
    }
    throw error;
  }
}
