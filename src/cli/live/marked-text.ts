/**
 * Text of strangers on lines of their own: escaped, behind a left mark, with its name and length (spec/team.md §3).
 *
 *  M1 what a terminal would obey or a person cannot see stands as `\u{…}`: control and format characters, blanks that
 *     are no blank, and letters and signs that look like others where they could pass for them;
 *  M2 no part of it stands at the left of its mark, however long its lines are: they are folded to the width of the
 *     terminal, which would else go on at the margin.
 */

import { asLatin } from '../../skills/decide/look-alikes.js';

const MARK = '  │ ';

/** The lines of a text, each behind its mark. */
function markedLines(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split('\n').map(marked);
}

/** One line behind its mark. */
export function marked(line: string): string {
  return `${MARK}${escapedLine(line)}`;
}

/** Tells a name and a length before the lines of a text. */
export function markedText(name: string, text: string): string[] {
  return [`  ${name} (${text.length} characters):`, ...markedLines(text)];
}

/** The text in one line, line breaks as `\n`; nothing of it is left out. */
export function escapedInOneLine(text: string): string {
  return escapedLine(text.replaceAll('\r\n', '\n').replaceAll('\n', '\\n').replaceAll('\t', ' '));
}

/** Anything beside the visible characters of ASCII, blank and tab. */
const UNUSUAL = /[^\u0020-\u007e\t]/;

/** What nobody sees, and blanks that are not the common one. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Signs that stand for a slash, a dot, a colon, a hyphen; dashes of prose are none. */
const ALIKE_SIGNS = /[\u2024\u2044\u2215\u29f8\u2236\ua789\u02d0\u01c3\u2010-\u2012\u2212\u2217\u223c]/u;

/** A line with all of that made visible (M1). */
export function escapedLine(line: string): string {
  return UNUSUAL.test(line) ? line.replace(/[^ \t]+/gu, escapedWord) : line;
}

function escapedWord(word: string): string {
  if (!UNUSUAL.test(word)) return word;
  const letters = [...word].filter((character) => /\p{L}/u.test(character));
  const alike = letters.filter(looksLatin);
  const plain = letters.some((letter) => /[A-Za-z]/.test(letter));
  // A word of another script is what it looks like, unless each of its letters could be a Latin one.
  const passes = plain || (alike.length > 1 && alike.length === letters.length);
  return [...word].map((character) => (isShown(character, passes) ? character : codeOf(character))).join('');
}

function isShown(character: string, passes: boolean): boolean {
  if (!UNUSUAL.test(character)) return true;
  if (UNSEEN.test(character) || ALIKE_SIGNS.test(character)) return false;
  const common = character.normalize('NFKC');
  if (character !== '…' && common !== character && !UNUSUAL.test(common)) return false;
  return !(passes && looksLatin(character));
}

function looksLatin(letter: string): boolean {
  return UNUSUAL.test(letter) && !UNUSUAL.test(asLatin(letter));
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Narrower than this a terminal shows nothing that could be read. */
const NARROWEST = 20;

/**
 * A line as lines that fit, when it is a marked one; another as it is.
 * @param width of the terminal in columns; null: it is none, and nothing is folded
 */
export function foldMarked(line: string, width: number | null): string[] {
  if (width === null || !line.startsWith(MARK)) return [line];
  const room = Math.max(NARROWEST, width) - MARK.length;
  const folded: string[] = [];
  let begun = '';
  let columns = 0;
  for (const character of line.slice(MARK.length)) {
    const wide = columnsOf(character);
    if (columns + wide > room) {
      folded.push(`${MARK}${begun}`);
      begun = '';
      columns = 0;
    }
    begun += character;
    columns += wide;
  }
  return [...folded, `${MARK}${begun}`];
}

/** Never less than a terminal takes: a tab may take eight. */
function columnsOf(character: string): number {
  if (character === '\t') return 8;
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}
