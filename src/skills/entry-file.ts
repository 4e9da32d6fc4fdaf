/**
 * A file of the tiers, read: the entry it holds with the operator's word on it, or why it holds none.
 *
 * Always true of a loaded file: `entry.trust` is `instruction` exactly when the file counts by where it lies, and the
 * operator has not made his own folders reference text, or when its digest is approved; the verdict was asked for the digest of this very entry, and the file was read once.
 */

import type { SkillPlace } from '../catalog/tiers.js';
import type { TrustQuestion, TrustVerdict } from '../catalog/trust.js';
import type { Finding } from '../shared/findings.js';
import type { Entry } from './entry.js';

export type EntryFile = LoadedFile | RefusedFile;

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

export interface LoadedFile extends FileOfPlace {
  readonly kind: 'loaded';
  readonly entry: Entry;
  /** What the operator was asked and what the answer was; null when the file counts by where it lies. */
  readonly approval: { readonly question: TrustQuestion; readonly verdict: TrustVerdict } | null;
}

export interface RefusedFile extends FileOfPlace {
  readonly kind: 'refused';
  /** The name it declares, where that could be read. */
  readonly name: string | null;
}

/** Whether a loaded file may not instruct. Only what is clearly trusted is. */
export function isUntrusted({ entry, approval }: LoadedFile): boolean {
  return entry.trust !== 'instruction' || (approval !== null && approval.verdict.kind !== 'trusted');
}
