/**
 * What an operator says of entries in general (spec/skills.md §3 `disabled`, `global-trust`, §4 guards and admission,
 * §6 `max-bytes`, §8 `chat.skills`). Read by the configuration, handed down as one value; nothing here reads a file.
 */

import type { Trust } from './entry.js';

/** The bound of the assembled reference block when nobody says one, in bytes (spec/skills.md §6). */
export const DEFAULT_MAX_BYTES = 24_000;

/** A name that is listed and never composed, and who says so: a settings file or a mission repository's mark. */
export interface DisabledName {
  readonly name: string;
  /** As findings name it. */
  readonly place: string;
}

/** The checks that run on every composition, spawn, chat, brief and import. */
export interface GuardSettings {
  /** Bytes of a body; null: no cap of the operator's. */
  readonly sizeCap: number | null;
  readonly exfiltration: boolean;
}

/**
 * One admission rule: for which mode or role, for which entries, which guard. What is null matches everything.
 * A guard `deny` keeps the entries out whatever they hold.
 */
export interface AdmissionRule {
  /** A mode (`chat`, `code`, `pa`, `team`) or a role. */
  readonly for: string | null;
  /** A name or glob; `*` stands for any characters, every other character for itself. */
  readonly name: string | null;
  /** The tier an entry comes from. */
  readonly source: string | null;
  readonly guard:
    | { readonly kind: 'size-cap'; readonly bytes: number }
    | { readonly kind: 'exfiltration' }
    | { readonly kind: 'deny' };
  /** Where the rule stands, as a refusal names it. */
  readonly place: string;
}

export interface SkillSettings {
  readonly disabled: readonly DisabledName[];
  /** Of the operator's own folders. */
  readonly globalTrust: Trust;
  /** Bytes of the assembled reference block; exactly so many are kept. */
  readonly maxBytes: number;
  readonly guards: GuardSettings;
  readonly admission: readonly AdmissionRule[];
  /** Names or globs of what a chat offers to its model; null: everything that applies. */
  readonly offered: readonly string[] | null;
}

/** What holds when nobody says anything. */
export const DEFAULT_SKILL_SETTINGS: SkillSettings = {
  disabled: [],
  globalTrust: 'instruction',
  maxBytes: DEFAULT_MAX_BYTES,
  guards: { sizeCap: 65_536, exfiltration: true },
  admission: [],
  offered: null,
};
