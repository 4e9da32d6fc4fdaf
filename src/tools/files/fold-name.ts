/**
 * One spelling for all names that some file system takes for the same: compatibility forms and case folded, characters
 * that HFS+ and case-folding ext4 ignore removed, the name of a stream (`.git::$INDEX_ALLOCATION`), trailing dots and
 * blanks (which Windows drops) cut off. Folding more than a given system does only refuses more.
 */

/** Zero-width, direction and other characters that print nothing by default; those that HFS+ ignores among them. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** The folded form of one name; for comparing only. */
export function foldName(name: string): string {
  const folded = name
    .replace(IGNORED, '')
    .normalize('NFKC')
    .replace(IGNORED, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/(?<=.):.*$/s, '');
  return /^[. ]*$/.test(folded) ? folded : folded.replace(/[. ]+$/, '');
}
