/**
 * An entry and its line in the lock, written both or neither (spec/skills.md §9).
 *
 *     1 the text is written beside, whole       → nothing has changed
 *     2 the lock to come is written beside      → nothing has changed
 *     3 the entry gets its name, by one rename  → everything has changed: the lock to come counts from here
 *     4 the lock to come becomes the lock
 *
 * Always true: killed at any point, the folder reads as before 3 or as after 4 (`lock-file.ts`), and the next writer
 * ends or undoes the rest; what another has changed since it was looked at is not written over.
 */

import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import { syncFolder, writeNewFile } from '../../shared/durable-file.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { makeFolder, takeBack } from '../../shared/make-folder.js';
import {
  changedSince,
  finishLock,
  inHeldFolder,
  type LockRead,
  type LockWritten,
  stageLock,
} from '../lock/lock-file.js';
import type { LockedEntry } from '../lock/lock-text.js';
import { workFolder } from '../lock/work-folder.js';

export interface EntryChange {
  /** Relative to the folder: `<name>/SKILL.md` or `<name>.md`. */
  readonly file: string;
  readonly text: string;
  /** What was looked at: the text of the file, null for none, and the lock. */
  readonly before: { readonly text: string | null; readonly lock: Exclude<LockRead, { kind: 'refused' }> };
  /** All lines of the lock as it will be. */
  readonly locked: readonly LockedEntry[];
}

/** Writes a change. @param folder real path of the folder of entries; it is made when it is missing */
export async function putEntry(folder: string, change: EntryChange): Promise<LockWritten> {
  const made = await madeFolder(folder);
  if (made.kind === 'refused') return made;
  const written = await inHeldFolder(folder, async () => {
    const changed = (await changedSince(folder, change.before.lock)) ?? (await entryChanged(folder, change));
    if (changed !== null) return { kind: 'refused', findings: [changed] };
    const { from, to } = await stageEntry(folder, change);
    await stageLock(folder, change.locked);
    await rename(from, to);
    // From here on it is done: whoever reads, reads the new lock, and the next writer puts it in place.
    await syncFolder(dirname(to))
      .then(() => finishLock(folder))
      .catch(() => {});
    return { kind: 'written' };
  });
  if (written.kind === 'refused') await takeBack(made.folders);
  return written;
}

/** The staged text, under the name from which one rename puts it in place. */
async function stageEntry(folder: string, change: EntryChange): Promise<{ from: string; to: string }> {
  const from = join(workFolder(folder), 'entry');
  const to = join(folder, change.file);
  const directory = dirname(to);
  if (directory === folder || (await isThere(directory))) {
    await writeNewFile(from, change.text);
    return { from, to };
  }
  await mkdir(from);
  await writeNewFile(join(from, change.file.slice(dirname(change.file).length + 1)), change.text);
  await syncFolder(from);
  return { from, to: directory };
}

async function entryChanged(folder: string, { file, before }: EntryChange): Promise<Finding | null> {
  const path = join(folder, file);
  const source = await readSource(path, folder);
  const now =
    source.kind === 'read' ? source.text : source.finding.code === 'file-missing' ? null : undefined;
  if (now === before.text) return null;
  const message = 'the file was changed by another process in the meantime; nothing was written';
  return { code: 'changed-meanwhile', severity: 'error', path, message, remedy: 'try again' };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

type Made =
  | { readonly kind: 'made'; readonly folders: readonly string[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** The folder and what is missing above it; the made ones, the deepest first. */
async function madeFolder(folder: string): Promise<Made> {
  try {
    const folders = await makeFolder(folder);
    for (const made of folders) await syncFolder(dirname(made));
    return { kind: 'made', folders };
  } catch (error) {
    const message = `the folder cannot be made: ${systemCode(error) ?? errorText(error)}; nothing was written`;
    const remedy = 'name a folder in a place that you may write';
    return {
      kind: 'refused',
      findings: [{ code: 'cannot-write', severity: 'error', path: folder, message, remedy }],
    };
  }
}
