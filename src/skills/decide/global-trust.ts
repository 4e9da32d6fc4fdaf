/**
 * The operator's own folders as reference text (spec/skills.md §4, `skills: {global-trust: reference}`): what lies there
 * is treated as a file nobody has approved. It hides nothing; a skill that a role names is reference text, a rule is not
 * used at all. No approval is asked for, since the word of the operator stands in his settings file.
 */

import type { Finding } from '../../shared/findings.js';
import type { EntryHead, Trust } from '../entry.js';
import type { EntryFile } from '../read/entry-file.js';

/** The code of the remark on such a file; unlike an untrusted one it does not wait for a word. */
export const REFERENCE_ONLY = 'reference-only';

/** A file with the trust that the operator gives to his own folders. Pure. */
export function withGlobalTrust<Held extends EntryHead>(
  file: EntryFile<Held>,
  trust: Trust,
): EntryFile<Held> {
  if (trust === 'instruction' || file.kind === 'refused' || file.place.tier !== 'global') return file;
  return { ...file, entry: { ...file.entry, trust } };
}

/** The remark on such a file; of severity info while nothing needs the file. */
export function referenceOnly({ kind, path }: Pick<EntryHead, 'kind' | 'path'>): Finding {
  return {
    code: REFERENCE_ONLY,
    severity: 'info',
    path,
    message:
      kind === 'rule'
        ? 'not used: skills.global-trust is reference, and a rule is no reference text'
        : 'no instruction: skills.global-trust is reference',
    remedy: 'take global-trust: reference out of ~/.bnerd.yaml, or approve files of a project instead',
  };
}
