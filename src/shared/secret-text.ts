/**
 * What of a text is likely a credential that somebody put in the wrong place, and is never echoed: keys, guessed by the
 * marks that vendors give them, which names of models and variables do not have; and what an address says of its user.
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

/**
 * User and password of an address: after `<scheme>://` anywhere in a text, and after `http:` at its beginning, which a
 * browser takes for an address without slashes too. A scheme begins where no longer one does.
 */
const USER_INFO = /((?:^\s*https?:|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/)[\\/]*)[^/\\?#\s]*@/gi;

/** A text with `…` in the place of what its addresses say of their users. */
export function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, '$1…@');
}
