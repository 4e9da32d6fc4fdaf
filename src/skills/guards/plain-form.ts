/**
 * A text as a model may take it, for guards that look for words in it: compatibility forms resolved, accents and what nobody
 * sees taken out, letters of other scripts read as the Latin ones they look like, lower case.
 *
 * Always true: the form of a text has its line breaks, so that places in it are counted in lines; the form of a part
 * cut between two characters is the part of the form, whatever the place of the cut.
 */

import { asLatin } from '../look-alikes.js';

/** Marks over letters, format characters, fillers, selectors and controls; blanks and line breaks are kept. */
const INVISIBLE = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu;

/** The form of a text. */
export function plainForm(text: string): string {
  const ascii = !/[^\0-\x7f]/.test(text);
  const seen = ascii ? text : text.normalize('NFKD');
  const visible = seen.replace(INVISIBLE, '').toLowerCase();
  return ascii ? visible : asLatin(visible);
}
