/**
 * The forms in which the value of a secret may stand in a text: as it is, in hexadecimal, and in base64 wherever in the
 * encoded bytes it begins. What JSON and addresses make of it is undone before the search (`encoded-views.ts`). Pure.
 *
 * In base64 the characters at the borders hold bits of the neighbours as well: a form has those that the secret alone
 * decides, and says which characters beside them hold its other bits.
 */

export interface Secret {
  /** Of its variable, its file or its pattern. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values are no secrets: they are parts of ordinary words, and too soon guessed to be worth it. */
export const LEAST_BYTES = 8;

/** How characters are compared: exactly, as hexadecimal digits of either case, as base64 of either alphabet. */
export type Alphabet = 'exact' | 'hex' | 'base64';

/** Bits of the secret in a character beside a base64 form. */
export interface Edge {
  readonly mask: number;
  readonly bits: number;
}

export interface Form {
  readonly placeholder: string;
  readonly alphabet: Alphabet;
  /** Folded by the alphabet. */
  readonly codes: Uint16Array;
  readonly before?: Edge;
  readonly after?: Edge;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The folding of each alphabet, by ASCII code; other characters stand for themselves. */
export const FOLDS: Readonly<Record<Alphabet, Uint16Array>> = {
  exact: foldTable((letter) => letter),
  hex: foldTable((letter) => letter.toLowerCase()),
  base64: foldTable(standard),
};

/** The six bits of a base64 character of either alphabet, by ASCII code; 255 for any other. */
export const BASE64_BITS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const bits = BASE64.indexOf(standard(String.fromCharCode(code)));
  return bits === -1 ? 255 : bits;
});

/** Lines of a key file that every key has. */
const ARMOUR = /^-----.*-----$/;

/** Shorter lines, and those of several words, stand in other files of the kind as well. */
const LEAST_LINE = 16;

/** A line end, or the escape that variables have in its place. */
const LINE_ENDS = /(?:\\[rn]|[\r\n])+/;

/**
 * The lines of a value of several that are secret each by itself, as those of a key: numbered, indented or in a patch,
 * no program shows the value as a whole.
 */
export function secretLines(value: string): string[] {
  const lines = value.split(LINE_ENDS).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.filter((line) => Buffer.byteLength(line) >= LEAST_LINE && !/\s/.test(line) && !isArmour(line));
}

/** Whether a line is the head or the foot of a key. */
export function isArmour(line: string): boolean {
  return ARMOUR.test(line);
}

/** Every form of a value. The value must have `LEAST_BYTES`. */
export function formsOf(value: string, placeholder: string): Form[] {
  const bytes = Buffer.from(value, 'utf8');
  const forms = [
    exact(value, placeholder),
    form(placeholder, 'hex', bytes.toString('hex')),
    ...[0, 1, 2].map((before) => base64(bytes, before, placeholder)),
  ];
  // Forms of web pages write a space so; YAML and whoever shows a text on one line write a blank for a line end.
  const others = [value.replaceAll(' ', '+'), value.replaceAll(/\s+/gu, ' ')];
  return [...forms, ...others.filter((other) => other !== value).map((other) => exact(other, placeholder))];
}

function exact(text: string, placeholder: string): Form {
  return form(placeholder, 'exact', text);
}

function form(placeholder: string, alphabet: Alphabet, text: string): Form {
  const fold = FOLDS[alphabet];
  const codes = Uint16Array.from({ length: text.length }, (_, at) => {
    const code = text.charCodeAt(at);
    return fold[code] ?? code;
  });
  return { placeholder, alphabet, codes };
}

/** @param before how many bytes of something else stand before it in its group of three */
function base64(bytes: Buffer, before: number, placeholder: string): Form {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const begin = [0, 2, 3][before] ?? 0;
  const bits = (before + bytes.length) * 8;
  const end = Math.floor(bits / 6);
  const left = bits % 6;
  return {
    ...form(placeholder, 'base64', text.slice(begin, end)),
    ...(begin === 0 ? {} : { before: edge(text, begin - 1, before === 1 ? 0x0f : 0x03) }),
    ...(left === 0 ? {} : { after: edge(text, end, left === 2 ? 0x30 : 0x3c) }),
  };
}

function edge(text: string, at: number, mask: number): Edge {
  return { mask, bits: (BASE64_BITS[text.charCodeAt(at)] ?? 0) & mask };
}

function foldTable(fold: (letter: string) => string): Uint16Array {
  return Uint16Array.from({ length: 128 }, (_, code) => fold(String.fromCharCode(code)).charCodeAt(0));
}

function standard(letter: string): string {
  if (letter === '-') return '+';
  return letter === '_' ? '/' : letter;
}
