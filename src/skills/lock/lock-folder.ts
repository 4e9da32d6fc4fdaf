/**
 * Brings the lock of a folder up to what lies in it (spec/skills.md §9, `bnerd skills lock`).
 *
 * Always true: nothing is written while a text has changed under its version, or a file cannot be read as an entry; no
 * line says `import` that did not say so, for this very text, before.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import type { SkillPlace } from '../../catalog/tiers.js';
import { systemCode } from '../../shared/errors.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import { compareBytes } from '../byte-order.js';
import { parseGoverned } from '../parse/governed.js';
import { parseOpen } from '../parse/open.js';
import type { ParsedEntry } from '../parse/parsed-entry.js';
import type { Dialect } from '../read/dialect.js';
import { discoverEntries, type FoundEntry } from '../read/discover.js';
import { quoted } from '../remark.js';
import { kindIn } from './governed-source.js';
import { compareWithLock, type LockableEntry } from './lock-changes.js';
import { entriesOf, LOCK_FILE, readLock, tidyFolder, writeLock } from './lock-file.js';
import { lockText } from './lock-text.js';

export type LockedFolder =
  | {
      readonly kind: 'locked';
      /** The lock file. */
      readonly path: string;
      /** How many entries are locked. */
      readonly entries: number;
      /** Names, in byte order. */
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
      /** Warnings: third-party entries that did not come by import. */
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Writes the lock of a folder, unless it is up to date.
 * @param folder real path
 * @param dialect of its files; null: each is governed when it can be read so, else open
 */
export async function lockFolder(
  folder: string,
  dialect: Dialect | null,
  signal: AbortSignal,
): Promise<LockedFolder> {
  const absent = await whyNoFolder(folder);
  if (absent !== null) return { kind: 'refused', findings: [absent] };
  const tidied = await tidyFolder(folder);
  if (tidied.kind === 'refused') return tidied;
  const lock = await readLock(folder);
  if (lock.kind === 'refused') return lock;
  const read = await readFolder(folder, dialect, signal);
  if (hasErrors(read.findings)) return { kind: 'refused', findings: read.findings };
  const before = entriesOf(lock);
  const path = join(folder, LOCK_FILE);
  const compared = compareWithLock(read.entries, before, path);
  const findings = [...read.findings, ...compared.findings.filter(({ severity }) => severity !== 'info')];
  if (hasErrors(findings)) return { kind: 'refused', findings };
  const after = compared.entries;
  if (lock.kind === 'missing' || lockText(after) !== lockText(before)) {
    const written = await writeLock(folder, lock, after);
    if (written.kind === 'refused') return written;
  }
  const known = new Map(before.map((line) => [line.name, lockText([line])]));
  const names = new Set(after.map(({ name }) => name));
  return {
    kind: 'locked',
    path,
    entries: after.length,
    added: after.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    changed: after
      .filter((line) => (known.get(line.name) ?? lockText([line])) !== lockText([line]))
      .map(({ name }) => name),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    findings,
  };
}

async function whyNoFolder(folder: string): Promise<Finding | null> {
  const remedy = 'name the folder that holds the entries';
  const finding = { code: 'bad-folder', severity: 'error', path: folder, remedy } as const;
  try {
    return (await stat(folder)).isDirectory() ? null : { ...finding, message: 'it is no folder' };
  } catch (error) {
    return { ...finding, message: `it cannot be looked at: ${systemCode(error) ?? 'unknown'}` };
  }
}

interface ReadFolder {
  readonly entries: readonly LockableEntry[];
  /** Errors of files that are no entries, and of names that two have. */
  readonly findings: readonly Finding[];
}

async function readFolder(folder: string, dialect: Dialect | null, signal: AbortSignal): Promise<ReadFolder> {
  const { found, findings: looked } = await discoverEntries(placesIn(folder), dialect ?? 'open', signal);
  const findings = looked.map(({ finding }) => finding).filter(({ severity }) => severity === 'error');
  const entries = new Map<string, LockableEntry>();
  // The directory form comes last and beats the flat one; of two of a form the first by path counts.
  for (const one of [...found].reverse()) {
    const parsed = await readOne(one, folder, dialect);
    findings.push(...parsed.findings.filter(({ severity }) => severity === 'error'));
    if (parsed.kind === 'refused') continue;
    const { entry } = parsed;
    const other = entries.get(entry.name);
    if (other !== undefined) findings.push(twice(entry.name, one.path, other.path));
    else entries.set(entry.name, entry);
  }
  const sorted = [...entries.values()].sort((one, other) => compareBytes(one.name, other.name));
  return { entries: sorted, findings };
}

/** A folder as a place of its own, in both layouts. */
function placesIn(folder: string): readonly SkillPlace[] {
  const place = {
    tier: 'mission',
    tree: 'bnerd',
    root: folder,
    folder,
    approval: null,
    kind: kindIn(folder),
  } as const;
  return [
    { ...place, layout: 'flat' },
    { ...place, layout: 'directory' },
  ];
}

async function readOne(
  { path, place, expectedName }: FoundEntry,
  folder: string,
  dialect: Dialect | null,
): Promise<ParsedEntry> {
  const source = await readSource(path, folder);
  if (source.kind === 'unreadable') return { kind: 'refused', name: null, findings: [source.finding] };
  const from = {
    path,
    tier: place.tier,
    tree: place.tree,
    layout: place.layout,
    kind: place.kind,
    expectedName,
  };
  if (dialect === 'open') return parseOpen(source.text, from);
  const governed = parseGoverned(source.text, from);
  return governed.kind === 'entry' || dialect === 'governed' ? governed : parseOpen(source.text, from);
}

function twice(name: string, path: string, other: string): Finding {
  const message = `${quoted(name)} stands in ${other} as well; a lock has one line a name`;
  return {
    code: 'duplicate-entry',
    severity: 'error',
    path,
    message,
    remedy: 'rename or remove one of the two',
  };
}
