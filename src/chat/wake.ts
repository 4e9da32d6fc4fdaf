/** Which entries the newest message of the user wakes by a keyword (spec/skills.md §1, §8). Pure. */

import type { Entry } from '../skills/entry.js';
import type { ChatCatalogue } from './catalogue.js';
import { keywordIn } from './keywords.js';
import { lackingOf, type OfferBounds } from './offer.js';
import type { Session } from './session.js';
import { appliesTo } from './use.js';

export interface Woken {
  readonly entry: Entry;
  readonly keyword: string;
}

/**
 * In byte order of name. What is not meant for this chat, what it could not serve and what the operator has unloaded
 * sleeps on; so does a process, which only a person begins.
 */
export function wokenBy(
  message: string,
  session: Session,
  { usable }: ChatCatalogue,
  { use, granted }: OfferBounds,
): readonly Woken[] {
  return [...usable.values()].flatMap((entry) => {
    if (entry.process || !appliesTo(entry, use) || lackingOf(entry, granted) !== undefined) return [];
    if (session.active.has(entry.name) || session.unloaded.has(entry.name)) return [];
    const keyword = keywordIn(entry.keywords, message);
    return keyword === undefined ? [] : [{ entry, keyword }];
  });
}
