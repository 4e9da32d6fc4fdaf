/**
 * The page a run works on (spec/skills.md §7 "Page"): an address or a path, one line of plain characters.
 *
 * Always true of a value that is a page: it stands on one line wherever it is shown, holds nothing that is obeyed or
 * hidden, and no user name or password.
 */

const MAX_PAGE_CHARACTERS = 2_048;

/** What a page may be, as the end of a sentence. */
export const PAGE_RULE = `an address that begins with http:// or https://, or a path, on one line, at most ${MAX_PAGE_CHARACTERS} characters`;

/** Controls, format characters, line and paragraph separators, halves of characters, what is not assigned. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** What speaks against a text as a page, as the end of the sentence "it …"; null: it is one. */
export function pageProblem(text: string): string | null {
  if (text.trim() === '') return 'is empty';
  if (text !== text.trim()) return 'begins or ends with a blank';
  if (text.length > MAX_PAGE_CHARACTERS) return `has ${text.length} characters`;
  if (UNSEEN.test(text)) return 'holds a character that cannot be seen';
  // One letter before the colon is a drive.
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(text)?.[1];
  if (scheme === undefined) return null;
  if (!/^https?$/i.test(scheme)) return `begins with ${scheme}:`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is no address';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? null : 'names a user';
}
