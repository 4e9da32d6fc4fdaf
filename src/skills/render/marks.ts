/**
 * The marks that a prompt is read by, and where a text imitates one. This file alone writes them out; `render.ts`
 * sets them, `defuse.ts` breaks every other occurrence.
 *
 *     [Skill: name] v1.2.0  ·  [Rule: name]               the header of an entry
 *     ## Active Rules                                     the title of a section
 *     <!-- provenance: … -->                              the origin of what follows, in a delegated block
 *     <<label ~0123456789ab  …  ~0123456789ab>>           the fence (shared/fence.ts)
 *
 * A text is looked at the way it is *seen*: compatibility forms, accents, case, invisible characters, letters and
 * brackets that look alike all count as the plain ones. A header, a comment or the end of a fence is found
 * anywhere in a line; a title or the start of a fence where it opens a line, behind any bullets, numbers, quote
 * marks and emphasis, also in the opening line of fenced code.
 *
 * Always true: a search takes time in proportion to the text.
 */

import { asLatin } from '../look-alikes.js';

export const HEADERS = { skill: '[Skill: ', rule: '[Rule: ' } as const;

export const TITLES = {
  process: '## Active process',
  rules: '## Active Rules',
  skills: '## Active Skills',
  available: '## Available Skills',
} as const;

export const PROVENANCE = { opens: '<!-- provenance: ', closes: ' -->' } as const;

/** What a reader, or a model, may take for the end of a line; content of a character class. */
const BREAKS = String.raw`\n\v\f\r\x1c-\x1e\x85\u2028\u2029`;

/** One end of a line. */
export const LINE_BREAK = new RegExp(`\\r\\n|[${BREAKS}]`, 'u');

/** Where a text imitates a mark, as the place of the letter or digit that one character in front will break it at. */
export function imitations(text: string): readonly number[] {
  if (isPlain(text)) return mayImitate(text) ? places(text) : [];
  if (!mayImitate(asSeen(text))) return [];
  const { seen, origins } = traced(text);
  return places(seen).map((place) => origins[place] ?? 0);
}

/**
 * Of these characters none is a letter, bracket or colon that looks like another, and none is invisible: the text
 * is seen as it stands. Most texts end here.
 */
const NOT_PLAIN = /[^\t\n\r\x20-\x7e§©®°±·×–—‘’“”•…←-↔⇐-⇔≤≥─-╿✅✓✔✗✘❌]/;

function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** A cheap look: false only where `MARKS` find nothing. */
const MAY_IMITATE =
  /\[[^a-z0-9\]\n]{0,8}(?:sk|ru)|<[^a-z0-9]{0,4}!|active[^a-z]*(?:rules|skills|process)|available[^a-z]*skills|~[0-9a-f]{6}/i;

function mayImitate(seen: string): boolean {
  return MAY_IMITATE.test(seen);
}

/** What may stand between the parts of a mark; a closing bracket makes it a checkbox or a link. */
const GAP = String.raw`[^\p{L}\p{N}\]${BREAKS}]{0,8}`;
/** What may stand in front of a title or a fence on its line. */
const OPENS_LINE = String.raw`(?:^|[${BREAKS}])[^\p{L}<${BREAKS}]*`;
const TITLE = String.raw`(?:active[^\p{L}${BREAKS}]*(?:rules|skills|process)|available[^\p{L}${BREAKS}]*skills)`;
const CLOSES_LINE = String.raw`(?=[^\p{L}${BREAKS}]*(?:$|[${BREAKS}]))`;

/** Each in parts: what stands before the letter or digit to break at, in brackets, and the rest. */
const MARKS: readonly RegExp[] = [
  [String.raw`(\[${GAP})`, `(?:sk[il1|]{3}|ru[il1|]e)${GAP}:`],
  [String.raw`(<[^\p{L}\p{N}]{0,4}![^\p{L}\p{N}>]{0,64})`, 'provenance'],
  [`(${OPENS_LINE})`, `${TITLE}${CLOSES_LINE}`],
  [String.raw`(${OPENS_LINE}#[^\p{L}${BREAKS}]*)`, String.raw`${TITLE}(?!\p{L})`],
  [`(${OPENS_LINE}<<[^${BREAKS}]*~)`, `[0-9a-f]{6,}${CLOSES_LINE}`],
  ['(~)', '[0-9a-f]{6,}[^\\p{L}\\p{N}>]{0,8}>>'],
].map((parts) => new RegExp(parts.join(''), 'giu'));

function places(seen: string): readonly number[] {
  const found = MARKS.flatMap((mark) =>
    [...seen.matchAll(mark)].map((match) => match.index + (match[1] ?? '').length),
  );
  return [...new Set(found)].sort((left, right) => left - right);
}

/** Marks over letters, characters that show nothing, control characters that end no line. */
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\t\n\v\f\r\x1c-\x1e\x85])\p{Cc}/gu;
const BRACKET_LIKE = /[^\P{Ps}({[]/gu;
const COLON_LIKE = /[\u02d0\u0589\u05c3\u1365\u16ec\u205a\u2236\ua789]/gu;

/** The text with everything that looks alike made alike. */
function asSeen(text: string): string {
  const letters = asLatin(text.normalize('NFKD').replace(UNSEEN, ''));
  return letters.replace(BRACKET_LIKE, '[').replace(COLON_LIKE, ':');
}

/** The same, with the place in the text that each of its characters comes from. */
function traced(text: string): { readonly seen: string; readonly origins: readonly number[] } {
  const pieces: string[] = [];
  const origins: number[] = [];
  let place = 0;
  for (const character of text) {
    const piece = NOT_PLAIN.test(character) ? asSeen(character) : character;
    pieces.push(piece);
    for (let index = 0; index < piece.length; index++) origins.push(place);
    place += character.length;
  }
  return { seen: pieces.join(''), origins };
}
