/**
 * Whether a message of the user holds a keyword of an entry (spec/skills.md §1): whole words, in any case, in any
 * composition of their letters; the blanks inside a keyword stand for any blanks.
 */

/** What a word is made of, in every script. */
const WORD = String.raw`[\p{L}\p{M}\p{N}_]`;

/** The first of the keywords that the message holds; undefined when it holds none. */
export function keywordIn(keywords: readonly string[], message: string): string | undefined {
  const text = message.normalize('NFC');
  return keywords.find((keyword) => holds(text, keyword.normalize('NFC').trim()));
}

function holds(text: string, keyword: string): boolean {
  if (keyword === '') return false;
  const words = keyword.split(/\s+/u).map(literal).join(String.raw`\s+`);
  return new RegExp(`(?<!${WORD})${words}(?!${WORD})`, 'iu').test(text);
}

/** Every character for itself. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
}
