/**
 * What the model may load by itself, and why not the rest (spec/skills.md §8): one list for the section, the schema
 * of the tool, the mark `+` of `/skills` and the check at the moment of the call.
 */

import type { ChatUse } from '../runtime/chat/chat-order.js';
import { matchesWildcard } from '../shared/wildcard.js';
import { lackingFor } from '../skills/choose/gates.js';
import type { Capability, Entry } from '../skills/entry.js';
import type { ChatCatalogue } from './catalogue.js';
import type { Session } from './session.js';
import { appliesTo } from './use.js';

/** What a chat offers by its settings and can serve by its tools. */
export interface OfferBounds {
  readonly use: ChatUse;
  /** `chat.skills`: names or globs; null: everything that applies. */
  readonly offered: readonly string[] | null;
  readonly granted: readonly Capability[];
}

/** The skills that are offered, in byte order of name. */
export function available(
  session: Session,
  { usable }: ChatCatalogue,
  bounds: OfferBounds,
): readonly Entry[] {
  return [...usable.values()].filter(
    (entry) => !session.active.has(entry.name) && notOffered(entry, bounds) === undefined,
  );
}

/** Why a usable entry that is not active is not the model's to load; undefined when it is. */
export function notOffered(entry: Entry, { use, offered, granted }: OfferBounds): string | undefined {
  if (entry.kind === 'rule') return 'it is a rule, and only skills are loaded by this tool';
  if (entry.process) return 'it is a process entry, which is never loaded by this tool';
  if (!appliesTo(entry, use)) return `it does not apply to ${useText(use)}`;
  if (offered !== null && !offered.some((glob) => matchesWildcard(glob, entry.name)))
    return 'chat.skills of the settings does not offer it';
  const lacking = lackingOf(entry, granted);
  return lacking === undefined ? undefined : `it requires ${lacking}, which this chat is not granted`;
}

/** The capabilities that an entry requires and the chat does not have, in words; undefined when it has them all. */
export function lackingOf(entry: Entry, granted: readonly Capability[]): string | undefined {
  const lacking = lackingFor(entry, granted);
  return lacking.length === 0 ? undefined : lacking.join(', ');
}

function useText({ mode, role }: ChatUse): string {
  return role === null ? `the mode ${mode}` : `the mode ${mode} or the role ${role}`;
}
