/** The operator's word in a test: a trust made of a list, which keeps what it was asked. */

import type { Trust, TrustQuestion, TrustVerdict } from '../../src/catalog/trust.js';

/** What is approved: a file by its path relative to its root, one text of it where a digest is given. */
export interface Approval {
  readonly path: string;
  readonly kind?: TrustQuestion['kind'];
  readonly digest?: string;
}

export interface ListedTrust extends Trust {
  readonly asked: readonly TrustQuestion[];
}

/**
 * @param approved files, each by its path or with more
 * @param revoked paths of files whose approval was taken away
 */
export function approvals(
  approved: readonly (string | Approval)[],
  revoked: readonly string[] = [],
): ListedTrust {
  const list = approved.map((one): Approval => (typeof one === 'string' ? { path: one } : one));
  const asked: TrustQuestion[] = [];
  const verdict = (question: TrustQuestion): TrustVerdict => {
    if (revoked.includes(question.path)) return { kind: 'revoked', by: 'bob' };
    const of = list.filter(
      ({ path, kind }) => path === question.path && (kind === undefined || kind === question.kind),
    );
    const fits = of.some(({ digest }) => digest === undefined || digest === question.digest);
    return fits ? { kind: 'trusted', by: 'ann' } : { kind: 'untrusted', changed: of.length > 0 };
  };
  return {
    asked,
    verdict: async (question) => {
      asked.push(question);
      return verdict(question);
    },
    placeTrusted: async () => false,
    findings: async () => [],
  };
}
