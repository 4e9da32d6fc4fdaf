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

import { asLatin } from '../decide/look-alikes.js';

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
 * Whether a text is seen as it stands: of its characters none is invisible, and no letter, bracket or colon looks
 * like another. Most texts end here.
 */
function isPlain(text: string): boolean {
  return !NOT_PRINTED_ASCII.test(text) || !NOT_PLAIN.test(text);
}

/** Of its own since it takes half the time of the next, and most texts hold nothing else. */
const NOT_PRINTED_ASCII = /[^\t\n\r\x20-\x7e]/;
const NOT_PLAIN = /[^\t\n\r\x20-\x7e§©®°±·×–—‘’“”•…←-↔⇐-⇔≤≥─-╿✅✓✔✗✘❌]/;
const NOT_PLAIN_RUNS = new RegExp(`${NOT_PLAIN.source}+`, 'g');

/** A cheap look: false only where `MARKS` find nothing. In two halves, each twice as fast as both in one. */
function mayImitate(seen: string): boolean {
  return MAY_HOLD_SIGNS.test(seen) || MAY_HOLD_TITLE.test(seen);
}

const MAY_HOLD_SIGNS = /\[[^a-zA-Z0-9\]\n]{0,8}(?:[sS][kK]|[rR][uU])|<[^a-zA-Z0-9]{0,4}!|~[0-9a-fA-F]{6}/;
const MAY_HOLD_TITLE = /active[^a-z]*(?:rules|skills|process)|available[^a-z]*skills/i;

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

/** The text with everything that looks alike made alike, character by character. */
function asSeen(text: string): string {
  const known = new Map<string, string>(); // most texts repeat a few accented letters
  return text.replace(NOT_PLAIN_RUNS, (run) => {
    const seen = known.get(run) ?? runAsSeen(run);
    known.set(run, seen);
    return seen;
  });
}

function runAsSeen(run: string): string {
  const bare = run.normalize('NFKD').replace(UNSEEN, '');
  return asLatin(bare).replace(BRACKET_LIKE, '[').replace(COLON_LIKE, ':');
}

/** The same, with the place in the text that each of its characters comes from. */
function traced(text: string): { readonly seen: string; readonly origins: readonly number[] } {
  const pieces: string[] = [];
  const origins: number[] = [];
  let place = 0;
  for (const character of text) {
    const piece = isPlain(character) ? character : runAsSeen(character);
    pieces.push(piece);
    for (let index = 0; index < piece.length; index++) origins.push(place);
    place += character.length;
  }
  return { seen: pieces.join(''), origins };
}
