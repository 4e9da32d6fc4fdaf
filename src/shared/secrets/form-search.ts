/**
 * Finds every form of every secret in one pass (Wu and Manber: blocks of three characters that end no form let the
 * search jump ahead), so that the number of secrets hardly matters.
 */

import { FOLDS, type Form } from './secret-forms.js';

/** Told of a form that begins here. */
export type Found = (form: Form, start: number) => void;

const BLOCK = 3;
const TABLE_BITS = 15;

/** One folding that equates whatever some alphabet equates: for blocks, where too much found costs only time. */
const COMMON = Uint16Array.from({ length: 128 }, (_, code) => {
  const base64 = FOLDS.base64[code] ?? code;
  return FOLDS.hex[base64] ?? base64;
});

export class FormSearch {
  /** Of the longest form. */
  readonly longest: number;
  /** Of the shortest: a text that is shorter holds nothing. */
  readonly shortest: number;
  /** How far the search may jump at a block. */
  readonly #jumps: Uint8Array;
  /** By the block that ends their first `shortest` characters. */
  readonly #ending = new Map<number, Form[]>();
  /** By their first character, folded in common. */
  readonly #beginning = new Map<number, Form[]>();

  /** @param forms each of at least three characters */
  constructor(forms: readonly Form[]) {
    const lengths = forms.map(({ codes }) => codes.length);
    this.shortest = lengths.reduce((least, length) => Math.min(least, length), Number.POSITIVE_INFINITY);
    this.longest = lengths.reduce((most, length) => Math.max(most, length), 0);
    const furthest = Math.min(255, this.shortest - BLOCK + 1);
    this.#jumps = new Uint8Array(2 ** TABLE_BITS).fill(furthest);
    for (const form of forms) this.#enter(form);
  }

  /** Every place where a form stands, in order of the text. */
  each(text: string, found: Found): void {
    const { length } = text;
    let at = this.shortest - 1;
    while (at < length) {
      const block = blockOf(text.charCodeAt(at - 2), text.charCodeAt(at - 1), text.charCodeAt(at));
      const jump = this.#jumps[block] ?? 1;
      if (jump > 0) {
        at += jump;
        continue;
      }
      const start = at - this.shortest + 1;
      for (const form of this.#ending.get(block) ?? []) {
        if (agreeing(form, text, start) === form.codes.length) found(form, start);
      }
      at++;
    }
  }

  /** Where the longest end of a text begins that more text could make a form of; undefined when none could. */
  pendingFrom(text: string): number | undefined {
    return this.begunAt(text)?.start;
  }

  /** The longest end of a text that is the beginning of a form, with that form. */
  begunAt(text: string): { readonly start: number; readonly form: Form } | undefined {
    for (let start = Math.max(0, text.length - this.longest + 1); start < text.length; start++) {
      const code = text.charCodeAt(start);
      for (const form of this.#beginning.get(COMMON[code] ?? code) ?? []) {
        const left = text.length - start;
        if (left < form.codes.length && agreeing(form, text, start) === left) return { start, form };
      }
    }
    return undefined;
  }

  #enter(form: Form): void {
    const { codes } = form;
    const last = this.shortest - 1;
    for (let at = BLOCK - 1; at <= last; at++) {
      const block = blockOf(codes[at - 2] ?? 0, codes[at - 1] ?? 0, codes[at] ?? 0);
      this.#jumps[block] = Math.min(this.#jumps[block] ?? 0, last - at);
      if (at === last) into(this.#ending, block, form);
    }
    const first = codes[0] ?? 0;
    into(this.#beginning, COMMON[first] ?? first, form);
  }
}

/** How many characters of a form stand here. */
function agreeing({ codes, alphabet }: Form, text: string, start: number): number {
  const fold = FOLDS[alphabet];
  const most = Math.min(codes.length, text.length - start);
  for (let at = 0; at < most; at++) {
    const code = text.charCodeAt(start + at);
    if ((fold[code] ?? code) !== codes[at]) return at;
  }
  return most;
}

function blockOf(one: number, two: number, three: number): number {
  const folded = ((COMMON[one] ?? one) << 10) ^ ((COMMON[two] ?? two) << 5) ^ (COMMON[three] ?? three);
  return folded & (2 ** TABLE_BITS - 1);
}

function into(map: Map<number, Form[]>, key: number, form: Form): void {
  const forms = map.get(key);
  if (forms === undefined) map.set(key, [form]);
  else forms.push(form);
}
