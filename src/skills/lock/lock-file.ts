/**
 * `skills.lock` on disk: reading it, and replacing it whole (spec/skills.md §9).
 *
 * A change of an entry is two renames, the file and the lock, and a process may be killed between them. So the lock to
 * come is put into the work folder first, and it counts as soon as the entries that it changes lie there:
 *
 *     next is written → the entry gets its name → next becomes skills.lock
 *                       ^ before: nothing has changed; after: everything has, whoever reads
 *
 * Always true: whoever reads the lock, at any moment, reads one that fits the files: that of before or that of after;
 * the next writer in the folder ends what was begun.
 */

import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import { SKILL_FILE } from '../../catalog/tiers.js';
import { syncFolder, writeNewFile } from '../../shared/durable-file.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { parseGoverned } from '../parse/governed.js';
import { governedSource } from './governed-source.js';
import { type LockedEntry, lockText, parseLock } from './lock-text.js';
import { type HeldFolder, holdFolder, nextLock, workFolder } from './work-folder.js';

/** The name of the file, beside the entries it locks. */
export const LOCK_FILE = 'skills.lock';

export type LockRead =
  | { readonly kind: 'read'; readonly entries: readonly LockedEntry[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * What is locked in a folder of entries: `<name>/SKILL.md` and `<name>.md` directly in it.
 * Findings name the lock file; a lock that a killed process has not put in place counts when its entries are there.
 */
export async function readLock(folder: string): Promise<LockRead> {
  const current = await readLockFile(join(folder, LOCK_FILE), folder);
  const next = await readLockFile(nextLock(folder), folder);
  if (next.kind !== 'read' || current.kind === 'refused') return current;
  return (await counts(folder, entriesOf(current), next.entries)) ? next : current;
}

/** The entries of a lock; none where there is no lock. */
export function entriesOf(lock: Exclude<LockRead, { kind: 'refused' }>): readonly LockedEntry[] {
  return lock.kind === 'read' ? lock.entries : [];
}

export type LockWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Replaces the lock of a folder, unless it is no longer what the caller has read.
 * @param before what `readLock` gave
 */
export async function writeLock(
  folder: string,
  before: Exclude<LockRead, { kind: 'refused' }>,
  entries: readonly LockedEntry[],
): Promise<LockWritten> {
  return inHeldFolder(folder, async () => {
    const changed = await changedSince(folder, before);
    if (changed !== null) return { kind: 'refused', findings: [changed] };
    await stageLock(folder, entries);
    await finishLock(folder);
    return { kind: 'written' };
  });
}

/** Does something as the only writer of a folder, with all that an earlier writer left ended; errors become findings. */
export async function inHeldFolder(folder: string, work: () => Promise<LockWritten>): Promise<LockWritten> {
  let held: HeldFolder | undefined;
  try {
    held = await holdFolder(folder);
    if (held.kind === 'refused') return held;
    await endWhatWasBegun(folder);
    return await work();
  } catch (error) {
    // Nothing has its name yet; what is left after a second failure is for the next writer.
    if (held?.kind === 'held') await clearWork(folder).catch(() => {});
    return { kind: 'refused', findings: [cannotWrite(folder, error)] };
  } finally {
    if (held?.kind === 'held') await held.release().catch(() => {}); // the next writer clears it away
  }
}

/** Ends or undoes what a killed writer has left in a folder, if any has. */
export async function tidyFolder(folder: string): Promise<LockWritten> {
  const left = await lstat(workFolder(folder)).then(
    () => true,
    () => false,
  );
  return left ? inHeldFolder(folder, async () => ({ kind: 'written' })) : { kind: 'written' };
}

/** Why the lock is not what somebody has read; null when it is. */
export async function changedSince(
  folder: string,
  before: Exclude<LockRead, { kind: 'refused' }>,
): Promise<Finding | null> {
  const now = await readLock(folder);
  const same = now.kind !== 'refused' && lockText(entriesOf(now)) === lockText(entriesOf(before));
  return same ? null : changedMeanwhile(join(folder, LOCK_FILE));
}

/** Puts the lock to come into the work folder. It counts from the moment its entries lie there. */
export async function stageLock(folder: string, entries: readonly LockedEntry[]): Promise<void> {
  const temporary = `${nextLock(folder)}.new`;
  await writeNewFile(temporary, lockText(entries));
  await rename(temporary, nextLock(folder));
  await syncFolder(workFolder(folder));
}

/** Makes the lock to come the lock. */
export async function finishLock(folder: string): Promise<void> {
  await rename(nextLock(folder), join(folder, LOCK_FILE));
  await syncFolder(folder);
}

/** Ends or undoes what a writer that was killed has left. */
async function endWhatWasBegun(folder: string): Promise<void> {
  const current = await readLockFile(join(folder, LOCK_FILE), folder);
  const next = await readLockFile(nextLock(folder), folder);
  if (next.kind === 'read' && current.kind !== 'refused') {
    if (await counts(folder, entriesOf(current), next.entries)) await finishLock(folder);
  }
  await clearWork(folder);
}

/** Takes away what was prepared. */
async function clearWork(folder: string): Promise<void> {
  const left = (await readdir(workFolder(folder))).filter((name) => !/^writer\.\d+$/.test(name));
  for (const name of left) await rm(join(workFolder(folder), name), { recursive: true, force: true });
}

/** Whether every entry that a lock to come changes lies there as it says. */
async function counts(
  folder: string,
  current: readonly LockedEntry[],
  next: readonly LockedEntry[],
): Promise<boolean> {
  const known = new Set(current.map((entry) => lockText([entry])));
  const changed = next.filter((entry) => !known.has(lockText([entry])));
  for (const { name, digest } of changed) {
    if ((await governedDigest(folder, name)) !== digest) return false;
  }
  return changed.length > 0;
}

/** The digest of an entry as it lies there, when it is a governed one: only these come by a writer of ours. */
async function governedDigest(folder: string, name: string): Promise<string | null> {
  for (const path of [join(folder, name, SKILL_FILE), join(folder, `${name}.md`)]) {
    const source = await readSource(path, folder);
    if (source.kind === 'unreadable') continue;
    const parsed = parseGoverned(source.text, governedSource(folder, path, name));
    return parsed.kind === 'entry' ? parsed.entry.digest : null;
  }
  return null;
}

async function readLockFile(path: string, folder: string): Promise<LockRead> {
  const source = await readSource(path, folder);
  if (source.kind === 'read') return parseLock(source.text, path);
  if (source.finding.code === 'file-missing') return { kind: 'missing' };
  return { kind: 'refused', findings: [source.finding] };
}

function changedMeanwhile(path: string): Finding {
  return {
    code: 'changed-meanwhile',
    severity: 'error',
    path,
    message: 'the file was changed by another process in the meantime; nothing was written',
    remedy: 'try again',
  };
}

function cannotWrite(folder: string, error: unknown): Finding {
  return {
    code: 'cannot-write',
    severity: 'error',
    path: folder,
    message: `the folder cannot be written: ${systemCode(error) ?? errorText(error)}`,
    remedy: 'make it a folder that you may write, with room on its disk',
  };
}
