/**
 * Whether a file that came with somebody else's tree may be used (spec/team.md §1 "Trust is one rule").
 *
 * Only files of the project tier, and of a mission repository that was found and not named, are asked about; files of
 * other tiers count by where they lie. What is not clearly approved is untrusted, and an untrusted file is not used
 * and hides nothing.
 */

import { type Finding, firstOf } from '../shared/findings.js';
import { shellWord } from '../shared/shell-word.js';

/** One file as an approval would name it. */
export interface TrustQuestion {
  readonly kind: 'recipe' | 'role' | 'entry';
  readonly tier: 'project' | 'mission';
  /** Real path of the root of its tier: the repository, or the mission repository. */
  readonly root: string;
  /** Of the file, relative to `root`, with forward slashes. */
  readonly path: string;
  /** `1:<hex>` of what would be used: the file for recipes and roles, the fields for entries. */
  readonly digest: string;
}

/** A file, whatever its text. */
export type FileQuestion = Omit<TrustQuestion, 'digest'>;

/** A file that somebody has to be asked about, wherever its text stands by now. */
export type AskedFile = Omit<TrustQuestion, 'kind' | 'digest'>;

export type TrustVerdict =
  /** `by` says in words what made it so: an approval and its approver, or a trusted place. */
  | { readonly kind: 'trusted'; readonly by: string }
  /** `changed`: another text of this file was approved before. */
  | { readonly kind: 'untrusted'; readonly changed: boolean }
  | { readonly kind: 'revoked'; readonly by: string };

/** The operator's word on files, from all trust files that count. Asking reads them at most once. */
export interface Trust {
  verdict(question: TrustQuestion): Promise<TrustVerdict>;
  /**
   * The verdict on every text of a file, so that a listing need not read it whole; null where the text matters, since an
   * approval or a revocation names one. A trust that cannot tell has no such method, and every text is asked about.
   */
  verdictOnAnyText?(question: FileQuestion): Promise<TrustVerdict | null>;
  /**
   * Whether the operator has trusted a place for good (`bnerd trust --repo`), which equals naming it as the mission
   * repository. Answered from the operator's own trust files alone: no file of a repository speaks for its place.
   * @param root real path of the repository
   */
  placeTrusted(root: string): Promise<boolean>;
  /** What is wrong with the trust files that were read; an error means that nothing in them counts. */
  findings(): Promise<readonly Finding[]>;
}

/** Nobody has approved anything. */
export const NO_APPROVALS: Trust = {
  verdict: async () => ({ kind: 'untrusted', changed: false }),
  verdictOnAnyText: async () => ({ kind: 'untrusted', changed: false }),
  placeTrusted: async () => false,
  findings: async () => [],
};

/** The code of the finding on every file that is not used because nobody approved it. */
export const UNTRUSTED = 'untrusted';

/**
 * The remark that a file is not used. Of severity info while nothing needs the file; whoever needs it makes it an
 * error with `needsTrust`.
 * @param path the file as findings name it
 */
export function notUsed(path: string, verdict: Exclude<TrustVerdict, { kind: 'trusted' }>): Finding {
  const why =
    verdict.kind === 'revoked'
      ? `its approval was revoked by ${verdict.by}`
      : verdict.changed
        ? 'it has changed since it was approved'
        : 'nobody has approved it';
  return {
    code: UNTRUSTED,
    severity: 'info',
    path,
    message: `not used: ${why}`,
    remedy: 'bnerd trust shows it and takes your word',
  };
}

/** Remarks that are told one by one. */
const TOLD = 100;

/** The remarks that are told of files that are not used: the first ones, and one that counts the rest. */
export function toldUnused(remarks: readonly Finding[]): readonly Finding[] {
  return firstOf(remarks, TOLD, (count) => ({
    code: UNTRUSTED,
    severity: 'info',
    path: `${count} more ${count === 1 ? 'file' : 'files'}`,
    message: 'not used: nobody has approved them',
    remedy: 'bnerd trust lists them',
  }));
}

/**
 * The refusal of a run that needs a file that may not instruct. Where an approval would help: both ways out
 * (spec/team.md §1); a remark of another kind brings its own remedy.
 */
export function needsTrust(what: string, remark: Finding): Finding {
  return {
    ...remark,
    severity: 'error',
    message: `${what} is needed and ${remark.message}`,
    remedy:
      remark.code === UNTRUSTED
        ? `read and approve this text with bnerd trust ${shellWord(remark.path)}, or trust its repository for good with bnerd trust --repo`
        : remark.remedy,
  };
}
