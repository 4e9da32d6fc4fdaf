/**
 * Nobody approves what he wrote himself (spec/skills.md §4): a text of a mission repository is approved by another
 * than its last author, or with `--self`. Both names are self-declared: this keeps a habit, it proves nothing.
 *
 * Always true: an author who cannot be told counts as the approver, for whoever works in a tree that says nothing of
 * its authors may have written it.
 */

import { lastAuthor } from '../../catalog/trust/repository-facts.js';
import type { Finding } from '../../shared/findings.js';
import type { House } from '../house.js';
import { normalText, type TrustSubject } from './trust-subjects.js';

/**
 * Why this approver may not approve this file alone; null when he may.
 * @param approver the name that would be recorded
 */
export async function selfApproval(
  house: Pick<House, 'toolEnvironment'>,
  { path, file, state }: TrustSubject,
  approver: string,
): Promise<Finding | null> {
  if (file.tier !== 'mission' || state.kind === 'unreadable') return null;
  const isText = (committed: string): boolean => normalText(committed) === state.text;
  const asked = { root: file.root, path: file.path, isText };
  const author = await lastAuthor(asked, house.toolEnvironment['PATH'] ?? '');
  if (author.kind === 'known' && !isSame(author.email, approver)) return null;
  const message =
    author.kind === 'known'
      ? `its last author is ${author.email} (commit ${author.commit.slice(0, 12)}), and so is the approver`
      : `who wrote this text last is not known: ${author.why}`;
  const remedy = 'let another person approve it, or add --self when one pair of eyes is meant to be enough';
  return { code: 'own-text', severity: 'error', path, message, remedy };
}

/** Addresses are compared without case, as mail is delivered. */
function isSame(email: string, approver: string): boolean {
  return email.trim().toLowerCase() === approver.trim().toLowerCase();
}
