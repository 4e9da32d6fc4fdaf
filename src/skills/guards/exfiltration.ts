/**
 * The exfiltration marker (spec/skills.md §4): `«artifact:…»`, by which a text would have a program attach a file or a
 * result to what it sends. A text of a catalogue has no use for it.
 *
 * Always true: found in any spelling that normalises to it, in guillemets that look like these, with or without its
 * closing one; a marker that is cut anywhere between two parts of a text is found.
 */

import { plainForm } from './plain-form.js';

/** Opening guillemets as they are and as they look; a pair of single ones is one. Then the word, then a colon. */
const MARKER = /(?:[«≪《⟪⪡⋘「『]|[<‹〈⟨˂❮❰〈]{2}) *artifact *[:꞉∶ː]/;

/** What every marker holds: most texts are told by it. */
const WORD = 'artifact';

/** Longer than a marker with the blanks that cuts may leave in it. */
const KEPT = 256;

/** Looks for the marker in a text that comes in parts. */
export class MarkerSearch {
  #end = '';
  #found = false;

  /** @param part the next part, cut between two code points */
  take(part: string): void {
    if (this.#found) return;
    const text = (this.#end + plainForm(part)).replace(/\s+/g, ' ');
    this.#found = text.includes(WORD) && MARKER.test(text);
    this.#end = text.slice(-KEPT);
  }

  get found(): boolean {
    return this.#found;
  }
}

/** Whether a text holds the marker. */
export function holdsMarker(text: string): boolean {
  const search = new MarkerSearch();
  search.take(text);
  return search.found;
}
