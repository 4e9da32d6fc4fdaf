/**
 * One spelling for all names that some file system takes for the same: compatibility forms and case folded,
 * characters that HFS+ ignores removed, trailing dots and blanks (which Windows drops) cut off. Folding more
 * than a given system does only refuses more.
 */

/** Zero-width and direction characters that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The folded form of one name; for comparing only. */
export function foldName(name: string): string {
  const folded = name.replace(IGNORED, '').normalize('NFKC').toUpperCase().toLowerCase();
  return /^[. ]*$/.test(folded) ? folded : folded.replace(/[. ]+$/, '');
}
