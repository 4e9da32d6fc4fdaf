/**
 * What may be a name in the catalogue. A slug names a folder and stands in team ids and on command lines; a
 * member's name is shown on terminals, typed in `to:` and stands in records.
 */

/** The rule of a slug, in words, for messages. */
export const SLUG_RULE = 'a-z, 0-9 and "-", beginning with a letter or digit';

/** How long a slug may be. */
export const MAX_SLUG_CHARACTERS = 64;

/** Whether a text is a slug; a text that is not one is never joined to a path. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_CHARACTERS && /^[a-z0-9][a-z0-9-]*$/.test(text);
}

/** The rule of a member's name, in words, for messages. */
export const MEMBER_NAME_RULE =
  'letters, digits, blank, ".", "_" and "-", beginning with a letter or digit, at most 64 characters';

/** Whether a text may name a member. */
export function isMemberName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(text);
}

/** Names that mail and the record use for something else than a member. `lead` is the lead's own. */
export const RESERVED_NAMES: readonly string[] = ['all', 'operator', 'runtime'];
