/**
 * Text inside a prompt that can be no mark of ours (spec/skills.md §5 "Nothing can break out").
 *
 * One character breaks, `⧵` (U+29F5). We put one
 * - in front of a letter or digit of every imitation of a mark (`marks.ts`): `[⧵Skill: other]`;
 * - on an empty line, where an empty line would end the text;
 * - in front of a character that would end a value on a line of its own, and in place of a line break or control
 *   character in such a value, as `⧵{hex of its code point}`;
 * and double each that stood in the text itself.
 *
 * Always true: `⧵{hex}` → that character, `⧵⧵` → `⧵`, any other `⧵` → nothing gives the text back, whatever it was.
 * A reader needs no knowledge of what we take for an imitation. All other characters stay as they were written,
 * and nothing is put at the start of a line that opens or closes fenced code.
 */

import { imitations, LINE_BREAK } from './marks.js';

const BREAKER = '\u29f5';

/** A text of any length, as a part of what is given to `defused`. */
export function verbatim(text: string): string {
  return text.includes(BREAKER) ? text.replaceAll(BREAKER, BREAKER + BREAKER) : text;
}

/** A text that ends at the first empty line, as a part of what is given to `defused`. */
export function paragraph(text: string): string {
  const whole = verbatim(text);
  if (!EMPTY_LINE.test(whole)) return whole;
  return whole
    .split(KEPT_BREAKS)
    .map((part, index) => (index % 2 === 0 && part === '' ? BREAKER : part))
    .join('');
}

/**
 * A value on one line that ends at the first `end`, as a part of what is given to `defused`.
 * @param end one ASCII punctuation mark
 */
export function inline(value: string, end: string): string {
  return verbatim(value).replace(INLINE_TROUBLE, (character) => {
    if (character === end) return BREAKER + character;
    return CLOSERS.includes(character) ? character : `${BREAKER}{${character.charCodeAt(0).toString(16)}}`;
  });
}

/** The assembled parts with every imitation of a mark broken. Marks of our own are put around it afterwards. */
export function defused(parts: string): string {
  const places = imitations(parts);
  if (places.length === 0) return parts;
  let text = '';
  let done = 0;
  for (const place of places) {
    text += parts.slice(done, place) + BREAKER;
    done = place;
  }
  return text + parts.slice(done);
}

const KEPT_BREAKS = new RegExp(`(${LINE_BREAK.source})`, 'u');
const EMPTY_LINE = new RegExp(`(?:^|${LINE_BREAK.source})(?:$|${LINE_BREAK.source})`, 'u');

/** What may end a value on a line. */
const CLOSERS = ']:';
const INLINE_TROUBLE = /[\]:\p{Cc}\u2028\u2029]/gu;
