/**
 * What of the registry a chat may use, and why not the rest: decided anew whenever the files are looked at.
 *
 * Always true: an entry in `usable` has instruction trust, is not disabled and no guard has hit it. Of a file that
 * nobody has approved only its name is kept, for the refusal of the one who types it.
 */

import type { Finding } from '../shared/findings.js';
import type { Entry } from '../skills/entry.js';
import { type GuardHit, hitText } from '../skills/guards/guard-entry.js';
import type { Registry } from '../skills/registry.js';

export interface ChatCatalogue {
  /** By name, in byte order of it. */
  readonly usable: ReadonlyMap<string, Entry>;
  /** Entries in use elsewhere that this chat may not use, with the reason; in byte order of name. */
  readonly barred: ReadonlyMap<string, { readonly entry: Entry; readonly reason: string }>;
  /** Names that only files have which nobody has approved, each with its remark. */
  readonly untrusted: ReadonlyMap<string, Finding>;
}

/** @param hits of guards, by path of the entry; an entry that is not in it was not hit */
export function chatCatalogue(
  registry: Registry,
  hits: ReadonlyMap<string, readonly GuardHit[]>,
): ChatCatalogue {
  const usable = new Map<string, Entry>();
  const barred = new Map<string, { entry: Entry; reason: string }>();
  for (const entry of registry.entries) {
    const reason = barredBy(entry, registry, hits.get(entry.path) ?? []);
    if (reason === undefined) usable.set(entry.name, entry);
    else barred.set(entry.name, { entry, reason });
  }
  const untrusted = new Map<string, Finding>();
  for (const { file, remark } of registry.untrusted) {
    if (!registry.byName.has(file.entry.name)) untrusted.set(file.entry.name, remark);
  }
  return { usable, barred, untrusted };
}

function barredBy(entry: Entry, registry: Registry, hits: readonly GuardHit[]): string | undefined {
  const disabled = registry.disabled.get(entry.name);
  if (disabled !== undefined) return `it is disabled in ${disabled.place}`;
  if (entry.trust !== 'instruction') return 'it counts as reference text here, which never instructs';
  const [hit] = hits;
  return hit === undefined ? undefined : `guard ${hitText(hit)}`;
}
