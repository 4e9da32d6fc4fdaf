/**
 * What may follow what in a transcript (R4): the entries of a turn in order of k from its `opened` at 0, turns
 * upwards, and after `<n>-0` nothing of an older turn. Pure; every implementation and every reader asks here.
 */

import { BugError } from '../shared/errors.js';
import type { TranscriptEntry } from './transcript-entry.js';

/** The last entry's id in numbers. */
export interface TranscriptPlace {
  readonly turn: number;
  readonly k: number;
}

/** What of an entry says where it stands. */
export type NumberedEntry = Pick<TranscriptEntry, 'id' | 'kind'>;

/** Before the first entry; turns are numbers of facts, so the first one is above 0. */
export const TRANSCRIPT_START: TranscriptPlace = { turn: 0, k: -1 };

export type TranscriptStep =
  | { readonly kind: 'follows'; readonly place: TranscriptPlace }
  | { readonly kind: 'older' }
  /** Same or newer turn, but not the entry that comes next; `place` is where it would stand. */
  | { readonly kind: 'astray'; readonly place: TranscriptPlace | undefined };

/** Where an entry stands against the last one. */
export function transcriptStep(last: TranscriptPlace, entry: NumberedEntry): TranscriptStep {
  const place = placeOf(entry.id);
  if (place === undefined) return { kind: 'astray', place };
  if (place.turn < last.turn) return { kind: 'older' };
  const opens = place.k === 0 && entry.kind === 'opened';
  const follows = place.turn === last.turn ? place.k === last.k + 1 && entry.kind !== 'opened' : opens;
  return { kind: follows ? 'follows' : 'astray', place };
}

export type TranscriptAdmission =
  | { readonly kind: 'follows'; readonly place: TranscriptPlace }
  | { readonly kind: 'fenced'; readonly newest: number };

/**
 * Whether entries of one turn may be added after `last`. A writer with an old turn has lost it and is told so;
 * one that leaves out or repeats an entry of its own turn has a bug.
 */
export function admitEntries(
  member: string,
  last: TranscriptPlace,
  entries: readonly NumberedEntry[],
): TranscriptAdmission {
  let place = last;
  for (const entry of entries) {
    const step = transcriptStep(place, entry);
    if (step.kind === 'older' && place === last) return { kind: 'fenced', newest: last.turn };
    if (step.kind !== 'follows' || (place !== last && step.place.turn !== place.turn)) {
      const where = `transcript of ${member}: ${entry.kind} "${entry.id}" after ${place.turn}-${place.k}`;
      throw new BugError('transcript-order', `${where}, allowed are the entries of one turn in order`);
    }
    place = step.place;
  }
  return { kind: 'follows', place };
}

/** The place that an id `<turn>-<k>` names; undefined for any other text. */
export function placeOf(id: string): TranscriptPlace | undefined {
  const match = /^([1-9]\d{0,14})-(0|[1-9]\d{0,8})$/.exec(id);
  return match === null ? undefined : { turn: Number(match[1]), k: Number(match[2]) };
}
