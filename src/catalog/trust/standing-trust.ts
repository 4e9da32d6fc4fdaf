/**
 * The operator's word as it stands at this moment, for whoever has to ask again: a run that lives for hours, while
 * approvals are taken back in another terminal (spec/skills.md §4).
 *
 * Always true:
 *  S1 a word that is in a trust file when the question is put is in the answer: files are looked at for every question,
 *     and read again when any of them, or the folder of the operator's own one, is not what it was;
 *  S2 a file that changes while it is read is read again for the next question.
 */

import type { Finding } from '../../shared/findings.js';
import type { TrustQuestion, TrustVerdict } from '../trust.js';
import { type OpenTrust, openTrust } from './open-trust.js';
import type { TrustSources } from './read-trust-files.js';
import { trustStamp } from './trust-stamp.js';

/** Trust over files that are looked at again for every question. */
export interface StandingTrust {
  /** The verdict on each, all from one reading; or what is wrong with a trust file, in which case nothing is known. */
  verdicts(questions: readonly TrustQuestion[]): Promise<StandingVerdicts>;
}

export type StandingVerdicts =
  /** In the order of the questions. */
  | { readonly kind: 'known'; readonly verdicts: readonly TrustVerdict[] }
  | { readonly kind: 'unknown'; readonly findings: readonly Finding[] };

/** Opens the files; nothing is looked at before the first question. */
export function standingTrust(from: TrustSources): StandingTrust {
  let reading: { readonly stamp: string; readonly trust: OpenTrust } | undefined;
  const current = async (): Promise<OpenTrust> => {
    const stamp = await trustStamp(from);
    if (reading?.stamp !== stamp) reading = { stamp, trust: openTrust(from) };
    return reading.trust;
  };
  return {
    async verdicts(questions) {
      const trust = await current();
      const errors = (await trust.findings()).filter(({ severity }) => severity === 'error');
      if (errors.length > 0) return { kind: 'unknown', findings: errors };
      const verdicts = await Promise.all(questions.map((question) => trust.verdict(question)));
      return { kind: 'known', verdicts };
    },
  };
}
