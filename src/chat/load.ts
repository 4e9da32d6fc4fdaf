/**
 * Whether an entry may be loaded, by the model or by hand (spec/skills.md §8). Every refusal names the entry and the
 * reason, and the rule or guard where one is at fault. Pure; names are those of the catalogue of this moment.
 */

import { nameRemedy } from '../shared/did-you-mean.js';
import { oneLine } from '../shared/terminal-text.js';
import type { Entry } from '../skills/entry.js';
import { isTakenName } from '../tools/names/taken-names.js';
import type { ChatCatalogue } from './catalogue.js';
import { available, notOffered, type OfferBounds } from './offer.js';
import type { Session } from './session.js';

export type Loading =
  | { readonly kind: 'loadable'; readonly entry: Entry }
  | { readonly kind: 'active'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

export interface LoadQuestion {
  readonly name: string;
  readonly session: Session;
  readonly catalogue: ChatCatalogue;
  readonly bounds: OfferBounds;
}

/** The model asks for an entry: it gets what it is offered at this moment and nothing else. */
export function loadByModel(question: LoadQuestion): Loading {
  const { name, session, catalogue, bounds } = question;
  if (session.active.has(name)) return alreadyActive(name);
  const barred = catalogue.barred.get(name);
  if (barred !== undefined) return notLoaded(name, barred.reason);
  const entry = catalogue.usable.get(name);
  if (entry === undefined) {
    if (catalogue.untrusted.has(name)) return notLoaded(name, 'nobody has approved it');
    const offered = available(session, catalogue, bounds).map((one) => one.name);
    return notLoaded(name, `no skill of this name is offered; ${nameRemedy(name, offered)}`);
  }
  const reason = notOffered(entry, bounds);
  return reason === undefined ? free(entry, question) : notLoaded(name, reason);
}

/** The operator asks for one: rules, other modes and whatever is not offered included. */
export function loadByHand(question: LoadQuestion): Loading {
  const { name, session, catalogue } = question;
  if (session.active.has(name)) return alreadyActive(name);
  const barred = catalogue.barred.get(name);
  if (barred !== undefined) return notLoaded(name, barred.reason);
  const entry = catalogue.usable.get(name);
  if (entry !== undefined) return free(entry, question);
  const untrusted = catalogue.untrusted.get(name);
  if (untrusted !== undefined)
    return notLoaded(name, `${untrusted.message} (${untrusted.path}; ${untrusted.remedy})`);
  const remedy = nameRemedy(name, [...catalogue.usable.keys()]);
  return notLoaded(name, `no rule or skill is called that; ${remedy}`);
}

/** The refusal in full. */
export function notLoaded(name: string, reason: string): Extract<Loading, { kind: 'refused' }> {
  return { kind: 'refused', text: `"${oneLine(name, 80)}" was not loaded: ${reason}` };
}

/** Why an entry cannot stand beside what is active: two tools of one name, or two processes; undefined when it can. */
export function collision(entry: Entry, { session }: Pick<LoadQuestion, 'session'>): string | undefined {
  for (const { entry: other } of session.active.values()) {
    if (entry.process && other.process) return `the process ${other.name} is active; unload it first`;
  }
  for (const [at, { name }] of entry.tools.entries()) {
    const shown = `its tool "${oneLine(name, 80)}" has the name of`;
    if (isTakenName(name)) return `${shown} a tool of this program`;
    if (entry.tools.some((other, index) => index < at && other.name === name))
      return `${shown} another tool of it`;
    for (const { entry: other } of session.active.values()) {
      if (other.tools.some((tool) => tool.name === name))
        return `${shown} a tool of ${other.name}, which is active`;
    }
  }
  return undefined;
}

function free(entry: Entry, question: LoadQuestion): Loading {
  const reason = collision(entry, question);
  return reason === undefined ? { kind: 'loadable', entry } : notLoaded(entry.name, reason);
}

function alreadyActive(name: string): Loading {
  return { kind: 'active', text: `"${name}" is already loaded: its full text stands in the system prompt.` };
}
