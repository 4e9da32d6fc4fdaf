/**
 * Whether a text is likely a credential that somebody put in the wrong place. Such a text is never echoed. A guess by
 * the marks that vendors give their keys: names of models and variables do not have them.
 */

const KEY_MARKS: readonly RegExp[] = [
  /(^|[^A-Za-z0-9])(sk|pk|rk|gsk|xai|hf|gh[opsur]|github_pat|glpat|xox[abprs]|ABSK)[-_][A-Za-z0-9_-]{8,}/,
  /(^|[^A-Za-z0-9])(AIza|ABSK|eyJ)[A-Za-z0-9_-]{12,}/,
  /(^|[^A-Z0-9])(AKIA|ASIA)[A-Z0-9]{12,}/,
  /^bearer\s/i,
];

/** What stands in a message in the place of such a text. */
export const NOT_SHOWN = '(not shown: it looks like a key)';

/** True for a text that holds what looks like a key, a token or a bearer header. */
export function looksLikeKey(text: string): boolean {
  return KEY_MARKS.some((mark) => mark.test(text));
}
