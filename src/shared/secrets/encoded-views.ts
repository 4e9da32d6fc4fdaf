/**
 * A text as it reads once its escapes are undone: those of JSON (`\n`, `\u0041`), of addresses (`%41`), and those
 * within them, and the line ends within long runs of base64. Whether all of a secret was encoded or one character of it
 * then makes no difference. Pure; each view knows where its characters stand in the text.
 */

import { BASE64_BITS } from './secret-forms.js';

export interface View {
  readonly text: string;
  /** Where the character at a place of the view begins in the text; its length for the end of the view. */
  startOf(at: number): number;
  /** Where the character before a place of the view ends in the text. */
  endOf(at: number): number;
  /** Place in the view up to which it is certain, whatever text may follow. */
  readonly certain: number;
  /** The last place of the text, at or before this one, where no escape of this view is cut in two. */
  whole(place: number): number;
}

/** JSON within JSON within JSON; deeper is nobody's way of writing a text. */
const LEVELS = 3;

/** Every view of a text that differs from another; the text itself first. */
export function viewsOf(text: string): View[] {
  const views: View[] = [];
  let view: View | undefined = plainView(text);
  for (let level = 0; view !== undefined; level++) {
    views.push(view);
    const joined = withJoinedLines(view.text);
    if (joined !== undefined) views.push(over(view, joined));
    const decoded: View | undefined = level < LEVELS ? decodedView(view.text) : undefined;
    view = decoded === undefined ? undefined : over(view, decoded);
  }
  return views;
}

function plainView(text: string): View {
  const same = (at: number): number => at;
  return { text, startOf: same, endOf: same, certain: text.length, whole: same };
}

/** A view of a view, in places of the text. */
function over(outer: View, inner: View): View {
  return {
    text: inner.text,
    startOf: (at) => outer.startOf(inner.startOf(at)),
    endOf: (at) => outer.endOf(inner.endOf(at)),
    certain: Math.min(inner.certain, endedBy(inner, outer.certain)),
    whole: (place) => {
      const kept = outer.whole(place);
      return Math.min(kept, outer.startOf(inner.whole(firstAt(outer, kept))));
    },
  };
}

/** The first place of a view whose character begins at this place of the text or behind it. */
function firstAt(view: Pick<View, 'text' | 'startOf'>, place: number): number {
  let low = 0;
  let high = view.text.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (view.startOf(middle) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last place of a view whose characters before it all end at this place of the text or before it. */
function endedBy(view: Pick<View, 'text' | 'endOf'>, place: number): number {
  let low = 0;
  let high = view.text.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (view.endOf(middle) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Pieces of a text that a view has something else for. */
class Changes {
  readonly #parts: string[] = [];
  /** For each change: its first place in the view, the one behind it, and the two of the text. */
  readonly #at: number[] = [];
  readonly #behind: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  #length = 0;
  #done = 0;

  add(text: string, from: number, to: number, instead: string): void {
    const before = text.slice(this.#done, from);
    this.#parts.push(before, instead);
    this.#at.push(this.#length + before.length);
    this.#length += before.length + instead.length;
    this.#behind.push(this.#length);
    this.#from.push(from);
    this.#to.push(to);
    this.#done = to;
  }

  /** @param uncertain place in the text from which on more text could change what was made of it */
  view(text: string, uncertain: number | undefined): View | undefined {
    if (this.#at.length === 0 && uncertain === undefined) return undefined;
    this.#parts.push(text.slice(this.#done));
    const startOf = (at: number): number => {
      const change = lastUpTo(this.#at, at);
      if (change === -1) return at;
      const behind = this.#behind[change] ?? 0;
      return at < behind ? (this.#from[change] ?? 0) : (this.#to[change] ?? 0) + at - behind;
    };
    const view: Omit<View, 'certain'> = {
      text: this.#parts.join(''),
      startOf,
      endOf: (at) => {
        if (at === 0) return 0;
        const change = lastUpTo(this.#at, at - 1);
        const inside = change !== -1 && at - 1 < (this.#behind[change] ?? 0);
        return inside ? (this.#to[change] ?? 0) : startOf(at - 1) + 1;
      },
      whole: (place) => {
        const change = lastUpTo(this.#from, place);
        return change !== -1 && place < (this.#to[change] ?? 0) ? (this.#from[change] ?? 0) : place;
      },
    };
    const certain = uncertain === undefined ? view.text.length : firstAt(view, uncertain);
    return { ...view, certain };
  }
}

/** The index of the last number that is not above this one; -1 when all are. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

type Escape = { readonly instead: string; readonly length: number } | 'unfinished' | undefined;

function decodedView(text: string): View | undefined {
  let percent = text.indexOf('%');
  let slash = text.indexOf('\\');
  if (percent === -1 && slash === -1) return undefined;
  const changes = new Changes();
  let uncertain: number | undefined;
  while (percent !== -1 || slash !== -1) {
    const atPercent = slash === -1 || (percent !== -1 && percent < slash);
    const at = atPercent ? percent : slash;
    const found = atPercent ? percentAt(text, at) : slashAt(text, at);
    let next = at + 1;
    if (found === 'unfinished') uncertain ??= at;
    else if (found !== undefined) {
      next = at + found.length;
      changes.add(text, at, next, found.instead);
    }
    if (percent !== -1 && percent < next) percent = text.indexOf('%', next);
    if (slash !== -1 && slash < next) slash = text.indexOf('\\', next);
  }
  return changes.view(text, uncertain);
}

const NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
};

function slashAt(text: string, at: number): Escape {
  const letter = text.charAt(at + 1);
  if (letter === '') return 'unfinished';
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  if (digits === 0) {
    const instead = NAMED[letter];
    return instead === undefined ? undefined : { instead, length: 2 };
  }
  const code = hexAt(text, at + 2, digits);
  if (typeof code !== 'number') return code;
  return { instead: String.fromCharCode(code), length: 2 + digits };
}

/** One character of UTF-8; a byte that belongs to none stands for itself. */
function percentAt(text: string, at: number): Escape {
  const lead = hexAt(text, at + 1, 2);
  if (typeof lead !== 'number') return lead;
  const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
  let code = more === 0 ? lead : lead & (0x3f >> more);
  for (let next = 1; next <= more; next++) {
    const place = at + 3 * next;
    if (place >= text.length) return 'unfinished';
    const byte = text.charAt(place) === '%' ? hexAt(text, place + 1, 2) : undefined;
    if (byte === 'unfinished') return byte;
    if (byte === undefined || (byte & 0xc0) !== 0x80)
      return { instead: String.fromCharCode(lead), length: 3 };
    code = (code << 6) | (byte & 0x3f);
  }
  const instead = code <= 0x10ffff ? String.fromCodePoint(code) : String.fromCharCode(lead);
  return { instead, length: code <= 0x10ffff ? 3 * (more + 1) : 3 };
}

function hexAt(text: string, at: number, digits: number): number | 'unfinished' | undefined {
  let value = 0;
  for (let place = at; place < at + digits; place++) {
    if (place >= text.length) return 'unfinished';
    const digit = hexDigit(text.charCodeAt(place));
    if (digit === undefined) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}

/** A line end counts as made by a program that wraps base64 when so much of it stands before. */
const WRAPPED_RUN = 16;
/** What such a line may be indented by. */
const INDENT = 32;

function withJoinedLines(text: string): View | undefined {
  const changes = new Changes();
  let uncertain: number | undefined;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    const from = text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    if (!isRun(text, from)) continue;
    let to = end + 1;
    while (to < text.length && to - end <= INDENT && isBlank(text.charCodeAt(to))) to++;
    if (to === text.length) uncertain ??= from;
    else if (isBase64(text.charCodeAt(to))) changes.add(text, from, to, '');
  }
  // Half of "\r\n" at the end.
  if (text.endsWith('\r') && isRun(text, text.length - 1)) uncertain ??= text.length - 1;
  return changes.view(text, uncertain);
}

function isRun(text: string, end: number): boolean {
  if (end < WRAPPED_RUN) return false;
  for (let at = end - 1; at >= end - WRAPPED_RUN; at--) if (!isBase64(text.charCodeAt(at))) return false;
  return true;
}

function isBase64(code: number): boolean {
  return (BASE64_BITS[code] ?? 255) !== 255;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
