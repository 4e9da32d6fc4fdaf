/**
 * Which entries are active in a chat, and why (spec/skills.md §8). A value: every change gives the next one.
 *
 * Always true:
 *  S1 an active entry is in the catalogue that was last looked at;
 *  S2 what the operator has unloaded no keyword wakes again in this session;
 *  S3 the order in which entries became active is kept: the tools a session allows depend on it (`tool-scope.ts`),
 *     what a model is shown does not.
 */

import type { ChatUse } from '../runtime/chat/chat-order.js';
import type { Entry } from '../skills/entry.js';
import type { ChatCatalogue } from './catalogue.js';
import { appliesTo } from './use.js';

/** By what an entry came to be active. */
export type Why = 'always-on' | 'role' | 'keyword' | 'manual' | 'model';

export interface ActiveEntry {
  readonly entry: Entry;
  readonly why: Why;
}

export interface Session {
  /** By name, in the order in which they became active. */
  readonly active: ReadonlyMap<string, ActiveEntry>;
  /** Names that the operator has unloaded. */
  readonly unloaded: ReadonlySet<string>;
}

/**
 * The session at its start: what is always on and applies, and what the role lists.
 * @param listed names of the role's entries
 */
export function openSession(catalogue: ChatCatalogue, use: ChatUse, listed: readonly string[]): Session {
  const active = new Map<string, ActiveEntry>();
  for (const entry of catalogue.usable.values()) {
    if (entry.process) continue;
    if (listed.includes(entry.name)) active.set(entry.name, { entry, why: 'role' });
    else if (entry.alwaysOn && appliesTo(entry, use)) active.set(entry.name, { entry, why: 'always-on' });
  }
  return { active, unloaded: new Set() };
}

/** The entry is active from the next round on. */
export function withActive(session: Session, entry: Entry, why: Why): Session {
  const unloaded = new Set(session.unloaded);
  if (why === 'manual') unloaded.delete(entry.name);
  return { active: new Map(session.active).set(entry.name, { entry, why }), unloaded };
}

/** The operator takes an entry out, for the whole session as far as keywords go. */
export function withUnloaded(session: Session, name: string): Session {
  const active = new Map(session.active);
  active.delete(name);
  return { active, unloaded: new Set(session.unloaded).add(name) };
}

/** The session over a catalogue that was looked at anew; `left` names what is not there any more. */
export function refreshed(
  session: Session,
  { usable }: ChatCatalogue,
): { readonly session: Session; readonly left: readonly string[] } {
  const active = new Map<string, ActiveEntry>();
  const left: string[] = [];
  for (const [name, { why }] of session.active) {
    const entry = usable.get(name);
    if (entry === undefined) left.push(name);
    else active.set(name, { entry, why });
  }
  return { session: { ...session, active }, left };
}

/** The active entries. */
export function activeEntries(session: Session): readonly Entry[] {
  return [...session.active.values()].map(({ entry }) => entry);
}
