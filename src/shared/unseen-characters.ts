/**
 * Characters of a text that a reviewer cannot see (spec/skills.md §4): with them a text says something else to a
 * model than to the person who approves it.
 *
 * Seen are: every visible character, blank, TAB and LF (CRLF is one LF), variation selectors and joiners where an
 * emoji needs them. NBSP and a lone ZWJ are `doubtful`: they have honest uses and are shown on request.
 */

export interface UnseenCharacter {
  /** 1-based, counted in lines of LF or CRLF. */
  readonly line: number;
  /** `U+200B`. */
  readonly codePoint: string;
  readonly kind: 'hidden' | 'doubtful';
}

/**
 * Control characters, format characters (bidi, zero width, tags, the soft hyphen), line and paragraph separators,
 * everything that renderers may ignore (fillers, variation selectors), and the blank Braille pattern.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u00a0]/gu;

/** A presentation selector behind an emoji base (a keycap's digit is one), and a joiner between two pictures. */
const EMOJI_SELECTOR = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu;
const EMOJI_JOINER =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/gu;

/** Every such character in the order of the text; a BOM in front is none, as no reader keeps it. */
export function unseenCharacters(text: string): UnseenCharacter[] {
  const normal = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  let line = 1;
  let counted = 0;
  return unseenIn(normal).map(({ character, index }) => {
    line += countLines(normal, counted, index);
    counted = index;
    const kind = character === '\u00a0' || character === '\u200d' ? 'doubtful' : 'hidden';
    return { line, codePoint: codePointOf(character), kind };
  });
}

/** The text with each of them made visible as `<U+200B>`; line ends and tabs stay. */
export function withUnseenShown(text: string): string {
  let shown = '';
  let from = 0;
  for (const { character, index } of unseenIn(text)) {
    shown += `${text.slice(from, index)}<${codePointOf(character)}>`;
    from = index + character.length;
  }
  return shown + text.slice(from);
}

function unseenIn(text: string): { readonly character: string; readonly index: number }[] {
  const seen = new Set(
    [EMOJI_SELECTOR, EMOJI_JOINER].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index }) => index),
    ),
  );
  return [...text.matchAll(UNSEEN)]
    .map(({ 0: character, index }) => ({ character, index }))
    .filter(({ character, index }) => character !== '\n' && character !== '\t' && !seen.has(index));
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
