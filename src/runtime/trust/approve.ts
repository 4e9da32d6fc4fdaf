/**
 * The operator's word, given and taken back: approvals and revocations in his own trust file (spec/team.md §1,
 * spec/skills.md §4). Who is asked and how is the door's business; what may be written is decided here.
 *
 * Always true: an approval names the digest of the text that the caller has shown; a text with characters that
 * nobody sees, a file with errors and one that is revoked elsewhere are not approved.
 */

import { isOfFile, type TrustedFile } from '../../catalog/trust/edit-trust-file.js';
import type { OpenTrust } from '../../catalog/trust/open-trust.js';
import { rootCommits } from '../../catalog/trust/repository-facts.js';
import type { TrustQuestion } from '../../catalog/trust.js';
import { isoStamp } from '../../shared/clock.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import type { House } from '../house.js';
import { approvedText, keepApprovedText } from './approved-texts.js';
import { changeOwnTrust, type TrustChanged } from './own-trust.js';
import type { SubjectState, TrustSubject } from './trust-subjects.js';
import { unseenFindings } from './unseen-findings.js';

type Readable = Extract<SubjectState, { kind: 'readable' }>;

/**
 * Why a file cannot be approved; empty when it can.
 * @param showInvisible NBSP and joiners have been shown as marks and are accepted
 */
export async function objections(
  trust: OpenTrust,
  { path, state }: TrustSubject,
  showInvisible: boolean,
): Promise<readonly Finding[]> {
  const errors = state.findings.filter(({ severity }) => severity === 'error');
  if (state.kind === 'unreadable') return errors;
  const findings: Finding[] = [];
  if (hasErrors(errors)) {
    const message = `the file has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}: ${errors[0]?.message ?? ''}`;
    const remedy = 'mend it first; an approval would not make it work';
    findings.push({ code: 'broken-file', severity: 'error', path, message, remedy });
  }
  findings.push(...unseenFindings(path, state.text, showInvisible));
  const own = await trust.revocations(state.question);
  for (const { revocation, holder, shown } of own) {
    if (holder === 'own' && isOfFile(revocation, state.question)) continue; // taken back by approving
    const message = `it is revoked by ${revocation.revoker} in ${shown}, which an approval does not beat`;
    const remedy = 'take that entry out of that file first';
    findings.push({ code: 'revoked', severity: 'error', path, message, remedy });
  }
  return findings;
}

/** Writes the approval of a text that was shown. `objections` has been asked. */
export async function approveFile(house: House, state: Readable, approver: string): Promise<TrustChanged> {
  const { question, text } = state;
  const commits = await rootCommits(question.root, house.toolEnvironment['PATH'] ?? '');
  const [commit] = commits.kind === 'known' ? commits.commits : [];
  const changed = await changeOwnTrust(house, {
    kind: 'approve-file',
    approval: {
      ...question,
      ...(commit === undefined ? {} : { root_commit: commit }),
      approver,
      at: isoStamp(house.clock.wallMs()),
    },
  });
  if (changed.kind === 'changed') await keepApprovedText(house, question.digest, text);
  return changed;
}

/** Takes back every approval of a file, of whatever text, and keeps it from counting by one elsewhere. */
export function revokeFile(house: House, file: TrustedFile, revoker: string): Promise<TrustChanged> {
  const at = isoStamp(house.clock.wallMs());
  return changeOwnTrust(house, { kind: 'revoke-file', file, revoker, at });
}

/** The text of the file that was approved last and is still here, with its digest; null when there is none. */
export async function approvedBefore(
  house: House,
  trust: OpenTrust,
  question: TrustQuestion,
): Promise<{
  readonly digest: string;
  readonly approver: string;
  readonly at: string;
  readonly text: string;
} | null> {
  const approvals = [...(await trust.approvals(question))].reverse();
  for (const { approval } of approvals) {
    const { digest, approver, at } = approval;
    const text = digest === question.digest ? null : await approvedText(house, digest);
    if (text !== null) return { digest, approver, at, text };
  }
  return null;
}
