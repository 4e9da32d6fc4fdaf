/**
 * Names that a reader takes for one another (spec/skills.md §3): equal after compatibility normalisation and case
 * folding, or once letters of other scripts that look like Latin ones are read as these. Only the letters that are
 * alike in common fonts are listed: the warning is an aid to the eye, no border.
 */

import { type Finding, firstOf } from '../../shared/findings.js';
import type { EntryHead } from '../entry.js';
import { quoted } from '../remark.js';

/** Letters by the Latin ones they look like. */
const ALIKE: readonly (readonly [string, string])[] = [
  ['a', 'аɑαᴀꓮᎪ'],
  ['b', 'ЬβʙВꓐᏴ'],
  ['c', 'сϲᴄꓚᏟⲥ'],
  ['d', 'ԁᴅꓓᎠ'],
  ['e', 'еεҽᴇΕꓰᎬ'],
  ['g', 'ɡցꓖᏀ'],
  ['h', 'һΗНꓧᎻ'],
  ['i', 'іιıӏɪꓲⲓ'],
  ['j', 'јϳᴊꓙᎫ'],
  ['k', 'кκᴋꓗᏦⲕ'],
  ['l', '1I|ⅼʟꓡᏞ'],
  ['m', 'мᴍΜꓟᎷ'],
  ['n', 'ոηɴΝꓠ'],
  ['o', '0оοօσᴏꓳⲟ'],
  ['p', 'рρᴘꓑᏢⲣ'],
  ['q', 'ԛ'],
  ['r', 'гʀꓣᎡᏒ'],
  ['s', 'ѕꜱꓢᏚ'],
  ['t', 'тτᴛꓔᎢ'],
  ['u', 'υսᴜꓴ'],
  ['v', 'ѵνᴠꓦᏙ'],
  ['w', 'ԝωꓪᎳ'],
  ['x', 'хχꓫ'],
  ['y', 'уγΥꓬᎩ'],
  ['z', 'ᴢΖꓜᏃ'],
  ['-', '‐‑‒–—−_'],
];

const LATIN: ReadonlyMap<string, string> = new Map(
  ALIKE.flatMap(([latin, alike]) => [...alike].map((letter) => [letter, latin] as const)),
);

const OTHER_SCRIPTS = new RegExp(
  `[${[...LATIN.keys()].filter((letter) => letter > '\u007f').join('')}]`,
  'giu',
);

/** Letters in filled circles and squares, and those of flags: no compatibility form leads to the plain ones. */
const BOXED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;
/** The first of each of these rows. */
const BOXED_A = [0x1f150, 0x1f170, 0x1f1e6] as const;

/** The text with the letters that look like Latin ones read as these; digits stay digits. */
export function asLatin(text: string): string {
  return text
    .replace(BOXED, unboxed)
    .replace(OTHER_SCRIPTS, (letter) => LATIN.get(letter) ?? LATIN.get(letter.toLowerCase()) ?? letter);
}

function unboxed(letter: string): string {
  const point = letter.codePointAt(0) ?? 0;
  const first = BOXED_A.findLast((one) => one <= point) ?? point;
  return String.fromCharCode('A'.charCodeAt(0) + point - first);
}

/** The forms under which two names are compared; equal in one of them is alike. */
function nameForms(name: string): readonly string[] {
  if (/^[a-z2-9-]*$/.test(name)) return [name]; // nothing to fold, and like nothing else: most names
  const plain = name.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  return [...new Set([folded(plain), folded(read(plain)), read(folded(plain))])];
}

/** Names by the forms under which they look alike: for those who ask about one entry at a time. */
export class NameIndex {
  readonly #byForm = new Map<string, EntryHead[]>();

  constructor(entries: readonly EntryHead[]) {
    for (const entry of entries) {
      for (const form of nameForms(entry.name)) {
        const alike = this.#byForm.get(form);
        if (alike === undefined) this.#byForm.set(form, [entry]);
        else alike.push(entry);
      }
    }
  }

  /**
   * A warning for each other name that this one looks like, each name once, in the order of the entries and in bounded
   * number: in a tree of strangers every name may look like every other.
   */
  remarksOn(entry: EntryHead): readonly Finding[] {
    const alike = nameForms(entry.name).flatMap((form) => this.#byForm.get(form) ?? []);
    const others = new Map(alike.filter(({ name }) => name !== entry.name).map((one) => [one.name, one]));
    const told = [...others.values()].slice(0, TOLD_OF_ONE).map((other) => lookAlike(entry, other));
    return others.size <= TOLD_OF_ONE ? told : [...told, andMore(entry, others.size - TOLD_OF_ONE)];
  }
}

/** Warnings on one name. */
const TOLD_OF_ONE = 10;

function andMore({ path, name }: EntryHead, count: number): Finding {
  return {
    code: 'look-alike-name',
    severity: 'warning',
    path,
    message: `the name ${quoted(name)} looks like ${count} more`,
    remedy: 'approve none of them before you know what they are for',
  };
}

/** Warnings that are given one by one. */
const TOLD = 50;

/** A warning for each later name that looks like an earlier one, in the order of the entries and in bounded number. */
export function lookAlikes(entries: readonly EntryHead[]): readonly Finding[] {
  const first = new Map<string, EntryHead>();
  const findings: Finding[] = [];
  for (const entry of entries) {
    const forms = nameForms(entry.name);
    const other = forms
      .map((form) => first.get(form))
      .find((seen) => seen !== undefined && seen.name !== entry.name);
    if (other !== undefined) findings.push(lookAlike(entry, other));
    for (const form of forms) if (!first.has(form)) first.set(form, entry);
  }
  return firstOf(findings, TOLD, (count) => ({
    code: 'look-alike-name',
    severity: 'warning',
    path: `${count} more ${count === 1 ? 'file' : 'files'}`,
    message: 'names that look like others',
    remedy: 'bnerd trust shows them',
  }));
}

function read(text: string): string {
  return [...text].map((letter) => LATIN.get(letter) ?? letter).join('');
}

/** Through upper case, so that letters with two lower-case forms meet. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase().normalize('NFKC');
}

function lookAlike(entry: EntryHead, other: EntryHead): Finding {
  return {
    code: 'look-alike-name',
    severity: 'warning',
    path: entry.path,
    message: `the name ${quoted(entry.name)} looks like ${quoted(other.name)} of ${other.path}`,
    remedy: 'look at both files, and rename one of them',
  };
}
