/**
 * The operator's word on files: all trust files that count, read at most once and when somebody asks.
 *
 *     read-trust-files  which files count, and their text      trust-file   text → approvals and revocations
 *     repository-facts  root commits, files of a commit        judge-trust  the verdict, pure
 *
 * Always true: while a file that counts cannot be used nothing is trusted, whatever the others say, and `findings`
 * says why; who is about to use files refuses on it.
 */

import { hasErrors } from '../../shared/findings.js';
import type { FileQuestion, Trust, TrustQuestion, TrustVerdict } from '../trust.js';
import {
  approvalsOf,
  commitsMatter,
  type FoundApproval,
  type FoundRevocation,
  fileVerdict,
  placeRevocationsOf,
  revocationsOf,
  type TrustSource,
  trustedPlace,
  verdictOnAnyText,
} from './judge-trust.js';
import { readTrustFiles, type TrustFiles, type TrustSources } from './read-trust-files.js';
import { type RootCommits, rootCommits } from './repository-facts.js';
import type { FileRevocation, PlaceRevocation } from './trust-file.js';

export type { TrustSources } from './read-trust-files.js';

/** Trust over files, with what only those who change or show them ask. */
export interface OpenTrust extends Trust {
  verdictOnAnyText(question: FileQuestion): Promise<TrustVerdict | null>;
  /** Approvals of any text of a file, the newest of each trust file last. */
  approvals(question: Omit<TrustQuestion, 'digest'>): Promise<readonly FoundApproval[]>;
  /** Every trust file that counts, as it was read. */
  sources(): Promise<readonly TrustSource[]>;
  /** What beats every approval of a text of a file. */
  revocations(question: TrustQuestion): Promise<readonly FoundRevocation<FileRevocation>[]>;
  /** What takes the trust in a place away. */
  placeRevocations(root: string): Promise<readonly FoundRevocation<PlaceRevocation>[]>;
}

/** Opens the trust files; nothing is read before the first question. */
export function openTrust(from: TrustSources): OpenTrust {
  let reading: Promise<TrustFiles> | undefined;
  const files = (): Promise<TrustFiles> => {
    reading ??= readTrustFiles(from);
    return reading;
  };
  const asked = new Map<string, Promise<RootCommits>>();
  const commitsOf = async (root: string, { sources }: TrustFiles): Promise<RootCommits> => {
    if (!commitsMatter(root, sources)) return { kind: 'known', commits: [] };
    const known = asked.get(root) ?? rootCommits(root, from.gitPath);
    asked.set(root, known);
    return known;
  };
  return {
    async verdict(question) {
      const read = await files();
      if (hasErrors(read.findings)) return { kind: 'untrusted', changed: false };
      return fileVerdict(question, await commitsOf(question.root, read), read.sources);
    },
    async verdictOnAnyText(question) {
      const read = await files();
      if (hasErrors(read.findings)) return { kind: 'untrusted', changed: false };
      return verdictOnAnyText(question, await commitsOf(question.root, read), read.sources);
    },
    async placeTrusted(root) {
      const read = await files();
      if (hasErrors(read.findings)) return false;
      return trustedPlace(root, await commitsOf(root, read), read.sources) !== undefined;
    },
    async findings() {
      return (await files()).findings;
    },
    async approvals(question) {
      const read = await files();
      return approvalsOf(question, await commitsOf(question.root, read), read.sources);
    },
    async sources() {
      return (await files()).sources;
    },
    async revocations(question) {
      const read = await files();
      return revocationsOf(question, await commitsOf(question.root, read), read.sources);
    },
    async placeRevocations(root) {
      const read = await files();
      return placeRevocationsOf(root, await commitsOf(root, read), read.sources);
    },
  };
}
