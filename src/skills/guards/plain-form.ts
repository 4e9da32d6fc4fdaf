/**
 * A text as a model may take it, for guards that look for words in it: compatibility forms resolved, accents and what nobody
 * sees taken out, letters of other scripts read as the Latin ones they look like, lower case.
 *
 * Always true: the form of a text has its line breaks, so that places in it are counted in lines; the form of a part
 * cut between two characters is the part of the form, whatever the place of the cut.
 */

import { asLatin } from '../decide/look-alikes.js';

/** Marks over letters, format characters, fillers, selectors and controls; blanks and line breaks are kept. */
const INVISIBLE = /[\0-\x08\x0e-\x1f\x7f-\x9f\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The same of a text of ASCII, which most are: a tenth of the time. */
const INVISIBLE_ASCII = /[\0-\x08\x0e-\x1f\x7f]/g;

/** The form of a text. */
export function plainForm(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.replace(INVISIBLE_ASCII, '').toLowerCase();
  return asLatin(text.normalize('NFKD').replace(INVISIBLE, '').toLowerCase());
}
