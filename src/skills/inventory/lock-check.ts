/**
 * What the locks say of the entries that lie beside them (spec/skills.md §9), weighed for those who ask: `skills lint`
 * and `skills audit`.
 *
 * Always true: an entry without a lock beside it is held against an empty one, so that a third-party entry cannot do
 * without; that proprietary entries are not locked is said only where there is a lock.
 */

import { join } from 'node:path';
import type { Finding, Severity } from '../../shared/findings.js';
import type { Entry } from '../entry.js';
import { compareWithLock, type LockableEntry } from '../lock/lock-changes.js';
import { lockCommand } from '../lock/lock-command.js';
import { entriesOf, LOCK_FILE, readLock } from '../lock/lock-file.js';
import type { LockedEntry } from '../lock/lock-text.js';
import type { LoadedFile } from '../read/entry-file.js';
import { quoted } from '../remark.js';

/** `lint` judges files that are worked on; `audit` answers for what is in use. */
export type LockPurpose = 'lint' | 'audit';

const SEVERITIES: Readonly<Record<LockPurpose, Readonly<Record<string, Severity>>>> = {
  lint: {
    'not-locked': 'warning',
    'lock-stale': 'warning',
    'not-imported': 'warning',
    'lock-behind': 'warning',
  },
  audit: { 'not-locked': 'warning', 'lock-stale': 'info', 'not-imported': 'error', 'lock-behind': 'error' },
};

/** What is said of the entries of all these folders, in the order of their paths. */
export async function lockFindings(
  files: readonly LoadedFile[],
  purpose: LockPurpose,
): Promise<readonly Finding[]> {
  const folders = new Map<string, LockableEntry[]>();
  for (const { place, entry } of files) {
    folders.set(place.folder, [...(folders.get(place.folder) ?? []), lockable(entry)]);
  }
  const findings: Finding[] = [];
  for (const [folder, entries] of folders) findings.push(...(await inFolder(folder, entries, purpose)));
  return findings.sort((one, other) => (one.path === other.path ? 0 : one.path < other.path ? -1 : 1));
}

async function inFolder(
  folder: string,
  entries: readonly LockableEntry[],
  purpose: LockPurpose,
): Promise<readonly Finding[]> {
  const lock = await readLock(folder);
  if (lock.kind === 'refused') return lock.findings;
  const path = join(folder, LOCK_FILE);
  const { findings } = compareWithLock(entries, entriesOf(lock), path);
  const behind = entriesOf(lock).flatMap((line) => lockBehind(line, entries, findings, lockCommand(folder)));
  return [...findings, ...behind]
    .filter(({ code }) => lock.kind === 'read' || code !== 'not-locked')
    .map((finding) => ({ ...finding, severity: SEVERITIES[purpose][finding.code] ?? finding.severity }));
}

/** In an open file the pin is kept as data. */
function lockable(entry: Entry): LockableEntry {
  return { ...entry, upstream: pinText(entry) };
}

/** The source that a file declares, in either dialect. */
export function pinText({ upstream, data }: Pick<Entry, 'upstream' | 'data'>): string | null {
  const kept = data['upstream'];
  return upstream ?? (typeof kept === 'string' ? kept : null);
}

/** A text that changed with its version: agreed to by nobody until the lock is written anew. */
function lockBehind(
  { name, digest }: LockedEntry,
  entries: readonly LockableEntry[],
  said: readonly Finding[],
  command: string,
): Finding[] {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined || entry.digest === digest) return [];
  if (said.some(({ code, path }) => code === 'version-not-bumped' && path === entry.path)) return [];
  return [
    {
      code: 'lock-behind',
      severity: 'warning',
      path: entry.path,
      message: `the text of ${quoted(name)} is not the one that is locked, ${digest}`,
      remedy: `when the new text is meant, run ${command}`,
    },
  ];
}
