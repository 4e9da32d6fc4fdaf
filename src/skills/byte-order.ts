/**
 * Byte order of names: the one order in which entries are composed (spec/skills.md §5). It is the order of the
 * UTF-8 bytes, so no locale and no string encoding of a language changes it.
 */

/** Negative, zero or positive, as a comparison for `sort`. */
export function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}
