/**
 * The version and the licence of a text: what it declares, what a flag says, and which of them is used
 * (spec/skills.md §9). Pure.
 *
 * Always true: a flag fills what is missing or spells what is there in the form that is asked for; it never changes
 * what a text declares.
 */

import { quoted, type Remarks } from '../remark.js';

/** One of the two values. */
export interface ValueRule {
  /** Also the name of its flag. */
  readonly key: 'version' | 'license';
  readonly isForm: (text: string) => boolean;
  /** Of the form, in words. */
  readonly form: string;
  readonly example: string;
  /** Another spelling of the example, which a flag may put in form. */
  readonly spelling: string;
  /** Whether a flag says the same as a declared text that has not the form. */
  readonly same: (flag: string, declared: string) => boolean;
}

export interface WrittenText {
  readonly text: string;
  readonly line: number | null;
}

/**
 * The value that stands in the governed text; null, with an error, when there is none.
 * @param declared every place where the text declares it, such as `version` and `metadata.version`
 */
export function settleValue(
  rule: ValueRule,
  flag: string | null,
  declared: readonly WrittenText[],
  remarks: Remarks,
): string | null {
  const { key, isForm, form, example, spelling } = rule;
  const [first, ...others] = declared.filter(({ text }) => text !== '');
  const remedy = `add --${key} ${example}`;
  if (flag !== null && !isForm(flag)) {
    remarks.add(
      'error',
      `${key}-form`,
      null,
      `--${key} is ${quoted(flag)}, allowed is ${form}`,
      `write --${key} ${example}`,
    );
    return null;
  }
  if (first === undefined) {
    if (flag === null) remarks.add('error', `${key}-missing`, null, `the text declares no ${key}`, remedy);
    return flag;
  }
  const other = others.find(({ text }) => text !== first.text);
  if (other !== undefined) {
    const message = `the text declares ${key} ${quoted(first.text)} and ${quoted(other.text)}`;
    remarks.add('error', `${key}-contradicts`, other.line, message, 'mend it where the text comes from');
    return null;
  }
  const { text, line } = first;
  if (isForm(text)) {
    if (flag === null || flag === text) return text;
  } else {
    if (flag !== null && rule.same(flag, text)) return flag;
    if (flag === null) {
      const message = `the text declares ${key} ${quoted(text)}, allowed is ${form}`;
      remarks.add(
        'error',
        `${key}-form`,
        line,
        message,
        `a flag may spell the same in that form, such as --${key} ${example} for ${spelling}; anything else has to be mended where the text comes from`,
      );
      return null;
    }
  }
  const message = `--${key} is ${quoted(flag)}, and the text declares ${quoted(text)}`;
  remarks.add(
    'error',
    `${key}-contradicts`,
    line,
    message,
    isForm(text)
      ? `leave --${key} out; a flag never changes what a text declares`
      : 'a flag never changes what a text declares; mend it where the text comes from',
  );
  return null;
}

/** Whether two texts differ in case, blanks and punctuation alone; `+`, which means something in licences, counts. */
export function spellsTheSame(one: string, other: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}+]/gu, '');
  return letters(one) === letters(other);
}
