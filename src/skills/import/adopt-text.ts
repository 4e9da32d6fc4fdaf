/**
 * The last steps of an import and of `govern` (spec/skills.md §9): a governed text is put to the guards, compared with
 * what lies there and with the lock, and written with its line.
 *
 * Always true: what is refused leaves everything as it was; what a dry run accepts, a run that finds the same accepts.
 */

import { join } from 'node:path';
import type { Tier } from '../../catalog/tiers.js';
import { assertNever } from '../../shared/assert-never.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry, EntryText } from '../entry.js';
import { guardEntry, hitText } from '../guards/guard-entry.js';
import { isBump } from '../lock/lock-changes.js';
import { entriesOf, LOCK_FILE, readLock } from '../lock/lock-file.js';
import type { ImportedFrom, LockedEntry } from '../lock/lock-text.js';
import { quoted } from '../remark.js';
import type { SkillSettings } from '../settings.js';
import { putEntry } from './put-entry.js';

/** `check`: everything but the writing. */
export type AdoptMode = 'write' | 'check';

export interface AdoptOrder {
  /** Real path of the folder of entries. */
  readonly folder: string;
  /** Relative to it. */
  readonly file: string;
  readonly text: string;
  readonly entry: EntryText;
  /** How the lock says that it came; null: it is our own. */
  readonly import: ImportedFrom | null;
  /** The text that lies there; null: none. */
  readonly before: string | null;
  /** What the entries of the folder belong to, for the rules of the operator. */
  readonly tier: Tier;
  readonly mode: AdoptMode;
  readonly guards: Pick<SkillSettings, 'guards' | 'admission'>;
  readonly signal: AbortSignal;
}

export type Adopted =
  | { readonly kind: 'adopted' }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Writes the text and its line, or says why not. */
export async function adoptText(order: AdoptOrder): Promise<Adopted> {
  const { folder, file, entry, tier, mode } = order;
  const path = join(folder, file);
  const guarded: Entry = { ...entry, path, tier, trust: 'instruction' };
  const hits = await guardEntry(guarded, { mode: 'import', role: null }, order.guards, order.signal);
  if (hits.length > 0) {
    return refused(...hits.map((hit) => finding('guard', path, `kept out by the guard ${hitText(hit)}`)));
  }
  const lock = await readLock(folder);
  if (lock.kind === 'refused') return lock;
  const line: LockedEntry = {
    name: entry.name,
    version: entry.version,
    digest: entry.digest,
    import: order.import,
  };
  const locked = entriesOf(lock);
  const known = locked.find(({ name }) => name === entry.name);
  if (known !== undefined && known.digest !== line.digest && !isBump(line.version, known.version)) {
    const message = `${quoted(entry.name)} is locked with version ${quoted(known.version ?? 'none')}; another text needs a greater one than ${quoted(line.version ?? 'none')}`;
    return refused(finding('version-not-greater', join(folder, LOCK_FILE), message));
  }
  switch (mode) {
    case 'check':
      return { kind: 'adopted' };
    case 'write': {
      const others = locked.filter(({ name }) => name !== entry.name);
      const before = { text: order.before, lock };
      const written = await putEntry(folder, { file, text: order.text, before, locked: [...others, line] });
      return written.kind === 'refused' ? written : { kind: 'adopted' };
    }
    default:
      return assertNever(mode, 'mode');
  }
}

function refused(...findings: readonly Finding[]): Adopted {
  return { kind: 'refused', findings };
}

const REMEDIES: Readonly<Record<string, string>> = {
  guard: 'do not import it; or see "skills: guards:" and "admission:" in your settings, if you know better',
  'version-not-greater': 'import a text with a greater version, or give it one',
};

function finding(code: string, path: string, message: string): Finding {
  return {
    code,
    severity: 'error',
    path,
    message: `${message}; nothing was written`,
    remedy: REMEDIES[code] ?? '',
  };
}
