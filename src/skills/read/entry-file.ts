/**
 * A file of the tiers, read: the entry it holds, or the head of it, with the operator's word on it, or why it holds none.
 *
 * Always true of a loaded file: `entry.trust` is `instruction` exactly when the file counts by where it lies, and the
 * operator has not made his own folders reference text, or when its digest is approved; the verdict was asked for the digest
 * of this very entry, or is one that no text of the file could change; and the file was read once.
 */

import type { SkillPlace } from '../../catalog/tiers.js';
import type { FileQuestion, TrustQuestion, TrustVerdict } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry, EntryHead } from '../entry.js';

export type EntryFile<Held extends EntryHead = Entry> = LoadedFile<Held> | RefusedFile;

interface FileOfPlace {
  /** As it was found. */
  readonly path: string;
  readonly place: SkillPlace;
  /** The place's position among all: of two files of one name the one of higher rank is used. */
  readonly rank: number;
  /** The directory name of `<name>/SKILL.md`, the stem of `<name>.md`. */
  readonly expectedName: string;
  /** An error in the file refuses a run; otherwise the file alone is left out. */
  readonly strict: boolean;
  /** What is said of the file, in the severities of its dialect. */
  readonly findings: readonly Finding[];
}

export interface LoadedFile<Held extends EntryHead = Entry> extends FileOfPlace {
  readonly kind: 'loaded';
  readonly entry: Held;
  /** What the operator was asked and what the answer was; null when the file counts by where it lies. */
  readonly approval: { readonly question: QuestionOn<Held>; readonly verdict: TrustVerdict } | null;
}

/** A text that was not read whole has no digest. */
type QuestionOn<Held> = Held extends Entry ? TrustQuestion : FileQuestion;

export interface RefusedFile extends FileOfPlace {
  readonly kind: 'refused';
  /** The name it declares, where that could be read. */
  readonly name: string | null;
}

/** Whether a loaded file may not instruct. Only what is clearly trusted is. */
export function isUntrusted({ entry, approval }: LoadedFile<EntryHead>): boolean {
  return entry.trust !== 'instruction' || (approval !== null && approval.verdict.kind !== 'trusted');
}
